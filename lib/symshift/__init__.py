"""symshift: a workbook on reasoning over stories."""

import symshift.garbage_collection  # noqa: F401  # isort: skip  # before torch is imported

from symshift.config import configure, presets
from symshift.errors import InputError
from symshift.models.registry import register
from symshift.preset_files import add_preset
from symshift.runs.audit import audit
from symshift.runs.reader import Reader, load
from symshift.training import check, train

__all__ = ["InputError", "Reader", "add_preset", "audit", "check", "configure", "load", "presets", "register", "train"]
