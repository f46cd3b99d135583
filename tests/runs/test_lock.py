"""Two trainings of one run: the second waits and says for whom; a dead owner's lock is free."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time

from symshift.runs import lock
from symshift.runs.lock import remove_dead_locks, run_locks

RUN = "0123456789ab"
OWNER = """
import runpy, time
from pathlib import Path
run_locks = runpy.run_path({path!r})["run_locks"]  # without torch
with run_locks(Path({outputs!r}), [{run!r}]):
    print("locked", flush=True)
    time.sleep(60)
"""


def test_second_training_waits_and_says_for_whom(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(lock, "SECONDS_BETWEEN_LOOKS", 0.01)
    order = []

    def second() -> None:
        with run_locks(tmp_path, [RUN, "ffffffffffff"]):
            order.append("second")

    with run_locks(tmp_path, ["aaaaaaaaaaaa", RUN]):
        thread = threading.Thread(target=second)
        thread.start()
        time.sleep(0.1)
        order.append("first")
    thread.join(10)
    assert order == ["first", "second"]
    (line,) = capsys.readouterr().out.splitlines()
    who = f"process {os.getpid()} on {socket.gethostname()}"
    assert line == f"run {RUN}: {who} trains it already; waiting until it ends"
    assert list((tmp_path / "locks").iterdir()) == []


def test_lock_of_a_dead_owner_is_free(tmp_path, capsys):
    code = OWNER.format(path=lock.__file__, outputs=str(tmp_path), run=RUN)
    owner = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert owner.stdout.readline() == b"locked\n"
    owner.send_signal(signal.SIGKILL)
    owner.communicate()
    assert (tmp_path / "locks" / RUN).exists()
    with run_locks(tmp_path, [RUN]):
        assert (tmp_path / "locks" / RUN).read_text().startswith(f"process {os.getpid()} ")
    assert capsys.readouterr().out == ""


def test_store_without_locks_is_used_without(tmp_path):
    (tmp_path / "locks").write_text("")
    with run_locks(tmp_path, [RUN]):
        assert (tmp_path / "locks").read_text() == ""


def test_dead_locks_are_removed_and_living_ones_stay(tmp_path):
    (tmp_path / "locks").mkdir()
    (tmp_path / "locks" / "aaaaaaaaaaaa").write_text("process 1 on a machine that is off")
    with run_locks(tmp_path, [RUN]):
        remove_dead_locks(tmp_path, [RUN, "aaaaaaaaaaaa", "ffffffffffff"])
        assert [path.name for path in (tmp_path / "locks").iterdir()] == [RUN]
