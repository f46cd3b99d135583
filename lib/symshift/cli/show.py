"""`symshift show`: everything that one preset sets."""

import textwrap
from collections.abc import Sequence

from symshift.command_line import Parser
from symshift.config import COMMON, configure
from symshift.models.registry import find_network
from symshift.preset_files import read

EXAMPLE = "example: symshift show stpr-sm"


def main(arguments: Sequence[str], prog: str) -> int:
    """Print a preset as YAML, with what it says otherwise than its base marked."""
    parser = Parser(prog, description="Show everything that a preset sets.", epilog=EXAMPLE)
    parser.add_argument("model", help="a preset; `symshift presets` lists them")
    preset = read(parser.parse_args(arguments).model)
    values = configure({"model": preset.name}).settings()
    network = find_network(values["network"])
    print(textwrap.fill(preset.about, 100, initial_indent="# ", subsequent_indent="# "))
    print(f"# Paper: {preset.paper}\n# File: {preset.path}\n# Network: {network.__module__}.{network.__qualname__}")
    for name, value in values.items():
        if name not in COMMON or name in preset.values:
            differs = preset.base and name in preset.own and name != "model"
            print(f"{name}: {value}" + (f"  # differs from {preset.base}" if differs else ""))
    return 0
