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
    threads = sum(facts.threads for facts in workers)
    counted = ngettext("{count} worker", "{count} workers", len(workers)).format(count=number_word(len(workers)))
    parts = [counted, ngettext("{count} thread", "{count} threads", threads).format(count=number_word(threads))]
    if limits:
        parts.append(_("each with up to {size} of memory").format(size=gigabytes(limits[0])))
    line = ", ".join(parts)
    if not cluster.dashboard:
        return line
    return _("{workers}; dashboard {address}").format(workers=line, address=cluster.dashboard)


def memory_line(cluster: Cluster) -> str:
    """Most memory that a worker has used."""
    most = max(cluster.engine.peak_memory.values(), default=0)
    return _("a worker used at most {size} of memory").format(size=gigabytes(most))
