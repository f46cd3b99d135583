"""One protocol for every model."""

from symshift.training.contract import check
from symshift.training.loop import train

__all__ = ["check", "train"]
