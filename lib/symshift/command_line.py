"""The parser of every command of the workbook."""

import argparse
from typing import Any


class Parser(argparse.ArgumentParser):
    """A parser that refuses shortened options: argparse would read `--seed 2` as `--seeds 2`, and train two models."""

    def __init__(self, prog: str | None = None, **settings: Any):
        super().__init__(prog, allow_abbrev=False, **settings)
