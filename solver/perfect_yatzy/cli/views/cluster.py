"""A cluster as text: its workers when it is opened, their memory when it is closed."""

from __future__ import annotations

from ..._messages import _, ngettext
from ...cluster.session import Cluster
from ...model.estimates import gigabytes
from .wording import number_word


def workers_line(cluster: Cluster) -> str:
    """Number of workers, their threads and memory, and the dashboard."""
    workers = cluster.engine.workers
    limits = sorted({facts.memory_limit for facts in workers if facts.memory_limit})
    n_workers, n_threads = len(workers), sum(facts.threads for facts in workers)
    parts = [
        ngettext("{count} worker", "{count} workers", n_workers, count=number_word(n_workers)),
        ngettext("{count} thread", "{count} threads", n_threads, count=number_word(n_threads)),
    ]
    if limits:
        parts.append(_("each with up to {size} of memory", size=gigabytes(limits[0])))
    line = ", ".join(parts)
    return _("{workers}; dashboard {address}", workers=line, address=cluster.dashboard) if cluster.dashboard else line


def memory_line(cluster: Cluster) -> str:
    """Most memory that a worker has used."""
    most = max(cluster.engine.peak_memory.values(), default=0)
    return _("a worker used at most {size} of memory", size=gigabytes(most))
