"""Damage good files in any way, and count what a reader makes of them but for one line."""

import contextlib
import io
import resource
import signal
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from symshift.errors import InputError
from tests.torture.children import DONE, fork
from tests.torture.readers import Reader
from tests.torture.trainings import new_outputs

HANG = 5  # seconds of the CPU, so that a busy machine is no hang
WAITING = 300  # seconds of a batch that waits, as on a pipe that nobody writes
LARGE = 2**30  # bytes
HEADROOM = 3 * 2**30  # bytes beyond which a child gets no memory
INTERESTING = (
    b"", b"\x00", b"\xff", b"\xff\xfe", b"\n", b"\r", b"\t", b"\t\t", b" ", b",", b'"', b"'", b"{", b"}", b"[", b"]",
    b"1", b"0", b"-1", b"1e999", b"nan", b"NaN", b"Infinity", b"null", b"true", b"9" * 5000, b"1" * 30, b"&a", b"*a",
    b"<<: *a", b"!!python/object:os.system", b"!!timestamp abc", b"2026-13-45", b"\xe2\x80\xae", b"\xed\xa0\x80",
    b"[" * 3000, b"a" * 20_000, b"=cmd()", b"<script>", b"../", b"\\", b"\x1b[31m", "\u0938\u0940".encode(),
    b"\x80\x05", b":",
)  # fmt: skip


class HangError(BaseException):
    """A reader that takes too long; no reader may catch it."""


@dataclass
class Counts:
    """What readers made of damaged files."""

    inputs: int = 0
    accepted: int = 0
    tracebacks: int = 0
    wrong: int = 0
    hangs: int = 0
    large: int = 0
    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        if len(self.notes) < 5:
            self.notes.append(text[-600:])

    def add(self, other: "Counts") -> None:
        for name in ("inputs", "accepted", "tracebacks", "wrong", "hangs", "large"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for text in other.notes:
            self.note(text)

    @property
    def bad(self) -> int:
        return self.tracebacks + self.wrong + self.hangs + self.large


EDITS = st.lists(
    st.tuples(
        st.sampled_from(["insert", "replace", "delete", "flip", "repeat", "cut", "swap"]),
        st.floats(0, 1, exclude_max=True),
        st.integers(1, 64),
        st.one_of(st.sampled_from(INTERESTING), st.binary(max_size=8)),
    ),
    min_size=1,
    max_size=5,
)


def damaged(content: bytes, edits: list[tuple[str, float, int, bytes]]) -> bytes:
    """Apply edits, each at a share of the length."""
    for kind, share, count, piece in edits:
        at = int(share * len(content))
        before, middle, after = content[:at], content[at : at + count], content[at + count :]
        forms = {
            "insert": before + piece + middle + after,
            "replace": before + piece + after,
            "delete": before + after,
            "flip": before + bytes(byte ^ (1 << count % 8) for byte in middle[:1]) + middle[1:] + after,
            "repeat": before + middle * (1 + count) + after,
            "cut": before,
            "swap": after + middle + before,
        }
        content = forms[kind]
    return content[:300_000]


def fuzz(name: str, reader: Reader, inputs: int, number: int) -> Counts:
    """Let a child read so many damaged files."""
    code, result = fork(lambda: vars(_read_damaged(name, reader, inputs, number))).wait(longest=WAITING)
    if code == DONE:
        return Counts(**result)
    counts = Counts(inputs=inputs, hangs=1)
    counts.note(f"{name}, batch {number}: its process ended with {code}: {result}")
    return counts


def _read_damaged(name: str, reader: Reader, inputs: int, number: int) -> Counts:
    counts = Counts()
    size = _virtual_size()
    resource.setrlimit(resource.RLIMIT_AS, (size + HEADROOM, size + HEADROOM))
    signal.signal(signal.SIGPROF, _give_up)
    with new_outputs() as folder:
        for file, content in reader.beside:
            _write(folder / file, content)

        @seed(number)
        @settings(
            max_examples=inputs,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(st.sampled_from(reader.seeds), EDITS)
        def read_one(good: bytes, edits: list[tuple[str, float, int, bytes]]) -> None:
            content = damaged(good, edits)
            _write(folder / reader.file, content)
            _count(counts, name, reader, folder, content)

        read_one()
    return counts


def _count(counts: Counts, name: str, reader: Reader, folder: Path, content: bytes) -> None:
    counts.inputs += 1
    before = _peak_memory()
    fault = ""
    signal.setitimer(signal.ITIMER_PROF, HANG)
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            reader.read(folder)
        counts.accepted += 1
        if reader.checked and content not in reader.seeds:
            counts.wrong += 1
            fault = "accepted, though its checksum is another"
    except InputError as error:
        if "\n" in str(error) or len(str(error)) > 1000:
            counts.tracebacks += 1
            fault = f"not one line: {str(error)[:600]!r}"
    except HangError:
        counts.hangs += 1
        fault = f"still reading after {HANG} s"
    except Exception:
        counts.tracebacks += 1
        fault = traceback.format_exc()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    if _peak_memory() - before > LARGE:
        counts.large += 1
        fault += " took more than 1 GB"
    if fault:
        counts.note(f"{name}: {content[:200]!r}: {fault}")


def _give_up(signal_number: int, frame: FrameType | None) -> None:
    raise HangError


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _peak_memory() -> int:
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _virtual_size() -> int:
    fields: Any = Path("/proc/self/statm").read_text().split()
    return int(fields[0]) * resource.getpagesize()
