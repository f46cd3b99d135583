"""One protocol for every model."""

from symshift.training.protocol import train

__all__ = ["train"]
