"""`symshift presets`: every preset with its paper, its reading of it, and what it changes."""

import sys
import textwrap
from collections.abc import Iterable, Sequence

from symshift.command_line import Parser
from symshift.config import configure, sort_presets
from symshift.errors import InputError
from symshift.preset_files import PARAMS, Preset, presets, read

EXAMPLE = "example: symshift presets; symshift presets --markdown > params/README.md"
README = """# Presets

A preset is everything that a run sets but its task, its stories and its seed. The main presets stand here, the readings
of what papers leave open, the ablations and the sizes for other data in `variants/`, where a file names its `base` and
what differs. Every one of them trains by

```
symshift train NAME --task 1
papermill notebooks/05_train.ipynb report.ipynb -p model NAME
papermill notebooks/05_train.ipynb report.ipynb -f params/NAME.yaml      # or -f params/variants/NAME.yaml
```

`symshift show NAME` prints all that a preset sets. Presets of your own go to any folder that the environment variable
`SYMSHIFT_PARAMS` names; the shortest is two lines, `base: stpr-sm` and `model: NAME`, and what differs. `sweeps/` has
lists of presets, tasks and seeds for `symshift sweep`, `notebooks/` has parameters for notebooks at the papers' scale.

This table is written by `symshift presets --markdown`.

| preset | paper | reading | changes |
| --- | --- | --- | --- |
"""


def main(arguments: Sequence[str], prog: str) -> int:
    """Print the presets as a list, or as the README of params/."""
    parser = Parser(prog, description="List the presets, yours among them.", epilog=EXAMPLE)
    parser.add_argument("--markdown", action="store_true", help="print params/README.md, the workbook's own presets")
    if parser.parse_args(arguments).markdown:
        print(markdown(), end="")
        return 0
    names, faults = _without_faults(presets())
    print("\n".join(_entry(read(name)) for name in sort_presets(names)))
    for fault in faults:
        print(fault, file=sys.stderr)
    return 2 if faults else 0


def markdown() -> str:
    """The README of params/: how presets are used, and a row for each of the workbook's."""
    ours = [preset for name in sort_presets(presets()) if PARAMS in (preset := read(name)).path.parents]
    front = sorted(ours, key=lambda preset: preset.path.parent != PARAMS)
    rows = [f"| {_link(preset)} | {preset.paper} | {preset.about} | {changes(preset)} |\n" for preset in front]
    return README + "".join(rows)


def changes(preset: Preset) -> str:
    """What a preset says otherwise than its base, as *mn: hops 18, dim 20*; nothing where it stands alone."""
    if not preset.base:
        return ""
    own = configure({"model": preset.name}).settings()
    before = read(preset.base).values  # of a base that may be incomplete
    settings = [f"{name} {own[name]}" for name in preset.own if name != "model" and before.get(name) != own[name]]
    return f"{preset.base}: {', '.join(settings)}"


def _without_faults(models: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the presets that can be used, and the line of each other one."""
    usable, faults = [], []
    for model in models:
        try:
            configure({"model": model})
            usable.append(model)
        except InputError as error:
            faults.append(str(error))
    return usable, faults


def _entry(preset: Preset) -> str:
    text = f"{preset.about}. Changes {changes(preset)}" if preset.base else preset.about
    body = textwrap.fill(text, 100, initial_indent="    ", subsequent_indent="    ")
    return f"{preset.name} ({preset.paper or preset.path})\n{body}"


def _link(preset: Preset) -> str:
    return f"[{preset.name}]({preset.path.relative_to(PARAMS)})"
