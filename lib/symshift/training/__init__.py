"""One protocol for every model."""

from symshift.training.loop import train

__all__ = ["train"]
