"""Calls in forked processes: a child has everything imported and compiled, so that a trial costs its work alone."""

import contextlib
import json
import os
import signal
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from symshift.errors import InputError

LONGEST = 120.0  # seconds after which a child is killed
DONE, RAW, ONE_LINE = 0, 1, 2  # exit codes


@dataclass
class Child:
    """A forked call: its process, and the pipe that brings what it returns."""

    pid: int
    pipe: int

    def kill(self) -> bool:
        """Kill it; return whether it was still running."""
        running = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        return running

    def wait(self, longest: float = LONGEST) -> tuple[int, Any]:
        """Return its exit code and what it returned, or the text of its error; it ends in `longest` seconds."""
        os.set_blocking(self.pipe, False)
        end, content = time.monotonic() + longest, b""
        while (ended := os.waitpid(self.pid, os.WNOHANG))[0] == 0:
            content += _available(self.pipe)
            if time.monotonic() > end:
                os.kill(self.pid, signal.SIGKILL)
                end += LONGEST
            time.sleep(0.002)
        content += _available(self.pipe)
        os.close(self.pipe)
        return os.waitstatus_to_exitcode(ended[1]), json.loads(content) if content else None


def fork(call: Callable[[], Any]) -> Child:
    """Call in a child, without its output."""
    read, write = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # threads of libraries, which wait
        pid = os.fork()
    if pid:
        os.close(write)
        return Child(pid, read)
    os.close(read)
    os._exit(_run(call, write))


def _run(call: Callable[[], Any], pipe: int) -> int:
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    try:
        code, result = DONE, call()
    except InputError as error:
        code, result = (RAW if "\n" in str(error) else ONE_LINE), str(error)
    except BaseException:
        code, result = RAW, traceback.format_exc()[-3000:]
    with contextlib.suppress(OSError):
        os.write(pipe, json.dumps(result, default=str).encode()[:60_000])
    return code


def _available(pipe: int) -> bytes:
    content = b""
    with contextlib.suppress(BlockingIOError):
        while part := os.read(pipe, 65_536):
            content += part
    return content
