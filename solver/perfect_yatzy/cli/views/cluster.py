"""A cluster as text: its workers when it is opened, their memory when it is closed."""

from __future__ import annotations

from ...cluster.session import Cluster
from ...model.estimates import gigabytes
from .wording import plural


def workers_line(cluster: Cluster) -> str:
    """Number of workers, their threads and memory, and the dashboard."""
    workers = cluster.engine.workers
    limits = sorted({facts.memory_limit for facts in workers if facts.memory_limit})
    memory = f", each with up to {gigabytes(limits[0])} of memory" if limits else ""
    threads = plural(sum(facts.threads for facts in workers), "thread")
    dashboard = f"; dashboard {cluster.dashboard}" if cluster.dashboard else ""
    return f"{plural(len(workers), 'worker')}, {threads}{memory}{dashboard}"


def memory_line(cluster: Cluster) -> str:
    """Most memory that a worker has used."""
    most = max(cluster.engine.peak_memory.values(), default=0)
    return f"a worker used at most {gigabytes(most)} of memory"
