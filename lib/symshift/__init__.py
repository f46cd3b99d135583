"""symshift: a workbook on reasoning over stories."""

from symshift.config import configure, presets
from symshift.errors import InputError
from symshift.runs.reader import Reader, load
from symshift.training import train

__all__ = ["InputError", "Reader", "configure", "load", "presets", "train"]
