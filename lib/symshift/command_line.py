"""The parser of every command of the workbook."""

import argparse
from typing import Any, NoReturn


class Parser(argparse.ArgumentParser):
    """A parser that refuses shortened options: argparse would read `--seed 2` as `--seeds 2`, and train two models."""

    def __init__(self, prog: str | None = None, **settings: Any):
        super().__init__(prog, allow_abbrev=False, **settings)

    def error(self, message: str) -> NoReturn:
        """End with one line, as every mistake does; argparse puts its usage of many lines before it."""
        self.exit(2, f"{self.prog}: {message}; see `{self.prog} --help`\n")
