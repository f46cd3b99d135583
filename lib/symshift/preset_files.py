"""Presets as files: one YAML file `NAME.yaml` each, in params/, params/variants/ or a folder that the user names.

The environment variable SYMSHIFT_PARAMS names the user's folder; notebooks, sweeps and the command line all heed it. A
preset sets every name its network has, or names another preset as its `base` and sets what differs:

    # EntNet with fewer slots
    # Paper: Henaff et al. 2017, Table 2
    base: entnet
    model: entnet-small
    slots: 5

The comment at the top says which reading of its paper a preset is; `# Paper:` names the paper and its table.

A notebook or another package may add a preset without a file, where it registers its network: `add_preset`.
"""

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from symshift import yaml_files
from symshift.errors import InputError, suggest
from symshift.models.registry import check_entry_points, import_entry_points, run_own_file
from symshift.paths import ROOT, read_text, relative_note

PARAMS = ROOT / "params"
PARAMS_VARIABLE = "SYMSHIFT_PARAMS"


class Preset(NamedTuple):
    """A preset's file, and all that it sets once those of its bases are filled in."""

    name: str
    path: Path
    base: str  # none: it stands alone
    own: dict[str, Any]  # what its own file says
    values: dict[str, Any]  # and, where that leaves a name out, its bases
    about: str
    paper: str


ADDED: dict[str, Preset] = {}  # without a file, by name


def presets() -> list[str]:
    """Every name that `model` may take.

    Raises:
        InputError: The file that `SYMSHIFT_NETWORKS` names fails.
    """
    run_own_file()
    import_entry_points()  # one that fails is named where a preset is unknown: it may be of that package
    return sorted({*_paths(), *ADDED})


def add_preset(values: Mapping[str, Any], about: str = "", paper: str = "ours") -> str:
    """Add a preset without a file, for this session.

    Args:
        values: What its file would say: `model`, the preset's name; `network` or `base`; and every setting that the
            base leaves out or has otherwise.
        about: One sentence on what it is.
        paper: The paper and table that it reads.

    Returns:
        The preset's name.

    Raises:
        InputError: It is no mapping, the name is that of a file, there is neither a network nor a base, or the base
            is unknown.
    """
    own = copy_mapping(values)
    name = own.get("model")
    if not isinstance(name, str) or not name:
        raise InputError(f"model is {name!r}; the name of the preset is right")
    if name in _paths():
        raise InputError(f"preset {name!r} has a file already, {_paths()[name].name}; choose another name")
    preset = _preset_from_mapping(own, name, Path(f"preset {name}"), about, paper)
    if preset.base and (preset.base == name or preset.base not in presets()):
        raise InputError(f"preset {name}: base {preset.base!r} is unknown; {suggest(preset.base, presets())}")
    ADDED[name] = preset
    return name


def copy_mapping(values: Any) -> dict[str, Any]:
    """Return what a preset sets as a mapping of its own.

    Raises:
        InputError: It is no mapping, as the name of a preset.
    """
    if not isinstance(values, Mapping):
        right = "a mapping such as {'model': 'mine', 'base': 'stpr'} would be right"
        raise InputError(f"add_preset has {str(values)[:40]!r}; {right}")
    return dict(values)


def read(name: Any) -> Preset:
    """The preset of this name.

    Raises:
        InputError: There is none, or its file or that of a base is not one of a preset.
    """
    chain = [_read(name)]
    while base := chain[-1].base:
        if base in [preset.name for preset in chain]:
            raise InputError(f"{chain[-1].path.name}: base {base!r} has this preset as a base itself")
        if base not in presets():
            raise InputError(f"{chain[-1].path.name}: base {base!r} is unknown; {suggest(base, presets())}")
        chain.append(_read(base))
    values: dict[str, Any] = {}
    for preset in reversed(chain):
        values |= preset.own
    return chain[0]._replace(values=values)


def _read(name: Any) -> Preset:
    """The preset of this name by itself, without its bases."""
    known = presets()
    if name not in known:
        check_entry_points()
        raise InputError(f"model {name!r} is unknown; {_ending_note(name)}{suggest(name, known)}")
    if name in ADDED:
        return ADDED[name]
    path = _paths()[name]
    try:
        changed_ns = path.stat().st_mtime_ns
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    return _parsed(path, changed_ns)


def _paths() -> dict[str, Path]:
    """The file of each preset, by name."""
    paths = _listing(PARAMS) | _listing(PARAMS / "variants")
    if not (named := os.environ.get(PARAMS_VARIABLE)):
        return paths
    if not (folder := Path(os.path.expanduser(named))).is_dir():  # that of pathlib raises where there is no such user
        right = f"name the one that holds your presets{relative_note(named)}"
        raise InputError(f"{PARAMS_VARIABLE} {named!r} is no folder; {right}")
    own = _listing(folder)
    for name in own.keys() & paths.keys():
        if not (own[name].exists() and own[name].samefile(paths[name])):
            raise InputError(f"{own[name]}: the workbook has a preset {name!r} already; choose another name")
    return paths | own


def _ending_note(name: Any) -> str:
    """Say that the user's file of this name ends in .yml, which is no preset; an empty string where there is none."""
    folder = os.environ.get(PARAMS_VARIABLE)
    if folder and isinstance(name, str) and os.path.isfile(os.path.join(os.path.expanduser(folder), f"{name}.yml")):
        return f"{name}.yml is a preset once it ends in .yaml; "
    return ""


def _listing(folder: Path) -> dict[str, Path]:
    return _files(folder, folder.stat().st_mtime_ns)


@lru_cache
def _files(folder: Path, _changed_ns: int) -> dict[str, Path]:
    return {path.stem: path for path in sorted(folder.glob("*.yaml"))}


@lru_cache(maxsize=1024)
def _parsed(path: Path, _changed_ns: int) -> Preset:
    own = yaml_files.read(path)
    lines = [line.removeprefix("#").strip() for line in read_text(path).splitlines() if line.startswith("#")]
    papers = [line.removeprefix("Paper:").strip() for line in lines if line.startswith("Paper:")]
    about = " ".join(line for line in lines if not line.startswith("Paper:"))
    return _preset_from_mapping(own, path.stem, path, about, "; ".join(papers))


def _preset_from_mapping(own: Any, name: str, path: Path, about: str, paper: str) -> Preset:
    """Return a preset from what its file says, and take `base` out of that.

    Of a preset without a file, the last part of `path` is what errors call it.
    """
    origin = {key: own[key] for key in ("network", "base") if key in own} if isinstance(own, dict) else {}
    if not origin or own.get("model") != name or not all(isinstance(value, str) for value in origin.values()):
        model = yaml.safe_dump(name, allow_unicode=True).splitlines()[0]  # in quotes where YAML reads a name otherwise
        raise InputError(f"{path.name}: a preset is a mapping with `model: {model}` and a `network:` or a `base:`")
    base = own.pop("base", "")
    return Preset(name, path, base, own, own, about, paper)
