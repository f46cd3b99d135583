"""The parser of every command of the workbook."""

import argparse
from typing import Any


class Parser(argparse.ArgumentParser):
    """One whose options are written out: argparse alone takes `--seed 2` for `--seeds 2`, which is two models."""

    def __init__(self, *arguments: Any, **settings: Any):
        super().__init__(*arguments, **settings)
        self.allow_abbrev = False
