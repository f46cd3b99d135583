"""Where stories come from."""

from symshift.data.babi.generator import World, generate
from symshift.data.files import read, write
from symshift.data.load import load
from symshift.data.question import Question, by_story, fingerprint, tokenize

__all__ = ["Question", "World", "by_story", "fingerprint", "generate", "load", "read", "tokenize", "write"]
