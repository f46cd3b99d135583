"""Every reader of a file, with good files to damage."""

import gzip
import io
import json
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import torch

from symshift import preset_files
from symshift.cli.ask import read_story
from symshift.data import files, load
from symshift.data.babi import official
from symshift.data.cbt import format as cbt
from symshift.data.text import from_text
from symshift.paths import ROOT, read_text
from symshift.runs.reader import load as load_reader
from symshift.runs.store import Store
from symshift.sweeps import spec
from symshift.sweeps.estimate import Speeds
from symshift.training import checkpoint
from tests.torture.trainings import new_outputs, undisturbed

RUN = "0123456789ab"
NAMES = (
    "stories", "books", "story of ask", "playground", "official archive", "sweep", "preset", "record", "curve",
    "weights", "attempts", "checkpoint", "bench", "published table", "published curves",
)  # fmt: skip
NAME = official.file_name(1, 1000, "train")


@dataclass(frozen=True)
class Reader:
    """A way to read a file.

    Attributes:
        file: Where the file lies in a folder.
        seeds: Good contents.
        read: Reads it; it gets the folder.
        checked: Whether a checksum makes every other content an error.
        beside: Further files of the folder.
    """

    file: str
    seeds: tuple[bytes, ...]
    read: Callable[[Path], Any]
    checked: bool = False
    beside: tuple[tuple[str, bytes], ...] = ()


@cache
def readers() -> dict[str, Reader]:
    """Return every reader by name."""
    return _stories() | _archives() | _yaml() | _runs() | _published()


def _stories() -> dict[str, Reader]:
    with new_outputs() as folder:
        texts = []
        for task in (1, 8, 19):
            files.write(load(task, 8, source="generated"), folder / "story.txt")
            texts.append((folder / "story.txt").read_bytes())
    words = "Ann met Bob and the man in the old town by the sea at noon"
    sentences = [f"{number} {words} {number} ." for number in range(1, 21)]
    cloze = "\n".join([*sentences, "21 XXXXX met Bob .\tAnn\t\tAnn|Bob|man|old|town|sea|noon|the|by|in"]).encode()
    plain = b"Zoe went to the attic.\nJohn moved to the garden.\nWhere is Zoe?\n"
    return {
        "stories": Reader("own.txt", tuple(texts), lambda folder: files.read(folder / "own.txt")),
        "books": Reader("own.txt", (cloze,), lambda folder: cbt.read(folder / "own.txt")),
        "story of ask": Reader("own.txt", (plain,), lambda folder: read_story(folder / "own.txt")),
        "playground": Reader("own.txt", (plain,), lambda folder: from_text(read_text(folder / "own.txt"))),
    }


def _archives() -> dict[str, Reader]:
    with new_outputs() as folder:
        files.write(load(1, 60, source="generated"), folder / "story.txt")
        text = (folder / "story.txt").read_bytes()
    tarred, zipped = io.BytesIO(), io.BytesIO()
    with tarfile.open(fileobj=tarred, mode="w:gz") as archive:
        member = tarfile.TarInfo(f"tasks_1-20_v1-2/{NAME}")
        member.size = len(text)
        archive.addfile(member, io.BytesIO(text))
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"tasks_1-20_v1-2/{NAME}", text)
    return {
        "official archive": Reader(
            "babi.tar.gz", (tarred.getvalue(), zipped.getvalue()), lambda folder: load(1, path=folder / "babi.tar.gz")
        ),
    }


def _yaml() -> dict[str, Reader]:
    rest = b"tasks: [1]\nexamples: [1000]\nsources: [official]\nseeds: [0, 1]\n"
    sweeps = (b"models: {mn: {updates: 20}}\n" + rest, b"models: [mn, stpr-sm]\noverrides: {batch: 8}\n" + rest)
    preset = (ROOT / "params/variants/mn-inputs.yaml").read_bytes()

    def read_preset(folder: Path) -> Any:
        preset_files._parsed.cache_clear()
        return preset_files._parsed(folder / "mn-inputs.yaml", 0)

    return {
        "sweep": Reader("sweep.yaml", sweeps, lambda folder: spec.read(folder / "sweep.yaml")),
        "preset": Reader("mn-inputs.yaml", (preset,), read_preset),
    }


def _runs() -> dict[str, Reader]:
    record, curve, weights = next(iter(undisturbed("mn").values()))
    values = json.loads(record) | {"seconds": 1.0, "updates_per_second": 1.0, "stacked": 1}
    values["provenance"] = {"stories": "generated", "data": "0"}
    written = json.dumps(values, indent=1).encode()
    others = (("run.json", written), ("curve.csv", curve), ("weights.safetensors", weights))
    beside = tuple((f"runs/{RUN}/{name}", content) for name, content in others)

    def run_reader(name: str, read: Callable[[Store], Any], checked: bool) -> Reader:
        path = f"runs/{RUN}/{name}"
        seed = dict(beside)[path]
        return Reader(path, (seed,), lambda folder: read(Store(folder)), checked, tuple(beside))

    with new_outputs() as folder:
        state = {"update": 3, "model_updates": 3, "seconds": 1.0, "ensemble_size": 1, "replicas": []}
        checkpoint.save(folder / "x", {"weights": torch.ones(1, 20), "best": torch.ones(1, 20)}, state)
        saved = (folder / "x").read_bytes()
    return {
        "record": run_reader("run.json", lambda store: (store.runs(), store.has(RUN), store.record(RUN)), False),
        "curve": run_reader("curve.csv", lambda store: store.curve(RUN), True),
        "weights": run_reader("weights.safetensors", lambda store: load_reader(RUN, store.outputs), True),
        "attempts": Reader(f"runs/{RUN}/error.json", (b'{"attempts": 2}',), lambda folder: Store(folder).attempts(RUN)),
        "checkpoint": Reader("x", (saved,), lambda folder: checkpoint.load(folder / "x", list(state)), True),
        "bench": Reader(
            "bench.csv",
            (b"case,single_ms,stacked10_ms\ntpr T10,1.5,3.5\ntpr task 3,2,8\n",),
            lambda folder: Speeds(Store(folder / "none"), torch.device("cpu"), folder / "bench.csv"),
        ),
    }


def _published() -> dict[str, Reader]:
    table = b"\n".join((ROOT / "outputs/published/runs.csv").read_bytes().splitlines()[:4]) + b"\n"
    run = table.splitlines()[1].split(b",")[0].decode()
    curves = gzip.decompress((ROOT / "outputs/published/curves.csv.gz").read_bytes()).splitlines(keepends=True)
    lines = [curves[0], *(line for line in curves if line.startswith(run.encode()))]
    packed = gzip.compress(b"".join(lines), mtime=0)
    beside = (("published/runs.csv", table), ("published/curves.csv.gz", packed))
    return {
        "published table": Reader(
            "published/runs.csv",
            (table,),
            lambda folder: (Store(folder).runs(), Store(folder).record(run)),
            False,
            beside,
        ),
        "published curves": Reader(
            "published/curves.csv.gz", (packed,), lambda folder: Store(folder).curve(run), False, beside
        ),
    }
