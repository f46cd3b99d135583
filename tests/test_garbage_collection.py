"""Garbage collection: what imports made is left alone, and what comes later is collected as ever."""

import gc

import symshift.garbage_collection  # noqa: F401


def test_imports_are_left_alone_and_later_objects_are_not() -> None:
    assert gc.isenabled()
    assert gc.get_freeze_count() > 100_000
