"""Garbage collection: what imports made is left alone, and what comes later is collected as ever."""

import gc
import weakref

import symshift.garbage_collection  # noqa: F401


class Node:
    """An object that refers to itself, so that only the garbage collector ends it."""

    def __init__(self) -> None:
        self.own = self


def test_imports_are_left_alone_and_later_objects_are_not() -> None:
    assert gc.isenabled()
    assert gc.get_freeze_count() > 100_000
    node = weakref.ref(Node())
    gc.collect()
    assert node() is None
