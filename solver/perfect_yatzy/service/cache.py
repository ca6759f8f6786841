"""A cache of limited total weight, which several threads may use."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

Value = TypeVar("Value")


class WeightedLRUCache(Generic[Value]):
    """The most recently used values, up to a total weight."""

    def __init__(self, max_weight: float) -> None:
        self.max_weight = max_weight
        self.weight = 0
        self.lock = Lock()
        self.entries: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()
        # the locks of values that are being made
        self.in_progress: WeakValueDictionary[Hashable, Lock] = WeakValueDictionary()

    def get(self, key: Hashable) -> Value | None:
        """Return the value of a key, or None if the key is not in the cache."""
        with self.lock:
            if key not in self.entries:
                return None
            self.entries.move_to_end(key)
            return self.entries[key][0]

    def put(self, key: Hashable, value: Value, weight: int = 1) -> None:
        """Store a value.

        It is not stored if the key is in the cache already, or if it is heavier than the whole
        cache.
        """
        with self.lock:
            if key in self.entries or weight > self.max_weight:
                return
            self.entries[key] = value, weight
            self.weight += weight
            while self.weight > self.max_weight:
                _key, (_value, weight_freed) = self.entries.popitem(last=False)
                self.weight -= weight_freed

    def clear(self) -> None:
        """Forget all values."""
        with self.lock:
            self.entries.clear()
            self.weight = 0

    def get_or_create(
        self,
        key: Hashable,
        create: Callable[[], Value],
        weight: Callable[[Value], int] = lambda value: 1,
    ) -> Value:
        """Return the value of a key, which is created if it is not in the cache.

        If several threads need a new value, one of them creates it and the others wait.
        """
        if (value := self.get(key)) is not None:
            return value
        with self.lock:
            # This lock is shared by all threads that wait for this key.
            creating = self.in_progress.setdefault(key, Lock())
        with creating:
            if (value := self.get(key)) is None:
                value = create()
                self.put(key, value, weight(value))
            return value
