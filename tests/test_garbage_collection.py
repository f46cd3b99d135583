"""Garbage collection: what imports made is left alone, and what comes later is collected as ever."""

import subprocess
import sys

CODE = """
import gc, weakref
import symshift

class Node:  # only the garbage collector ends an object that refers to itself
    def __init__(self):
        self.own = self

assert gc.isenabled()
assert gc.get_freeze_count() > 100_000, gc.get_freeze_count()
node = weakref.ref(Node())
gc.collect()
assert node() is None
"""


def test_imports_are_left_alone_and_later_objects_are_not() -> None:
    """In a process of its own: the tests' own process has frozen its objects itself."""
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
