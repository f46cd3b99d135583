"""Where a number comes from."""

import platform
import subprocess
from functools import cache
from importlib.metadata import version

import torch

from symshift.paths import ROOT


def provenance(device: torch.device) -> dict[str, str | bool]:
    """Return the code, the libraries and the machine of a run on this device."""
    kind = torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu"
    libraries = {name: version(name) for name in ("torch", "numpy", "pandas")}
    return {**_revision(), "python": platform.python_version(), **libraries, "device": kind}


@cache
def _revision() -> dict[str, str | bool]:
    """Return the revision of the code in use, and whether the package or the presets differ from it.

    The revision is empty where there is no repository, or no git.
    """

    def git(*words: str) -> str:
        try:
            done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=False)
        except OSError:
            return ""
        return done.stdout.strip()

    return {"revision": git("rev-parse", "HEAD"), "dirty": bool(git("status", "--porcelain", "--", "lib", "params"))}
