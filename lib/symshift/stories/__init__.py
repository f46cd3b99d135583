"""Where stories come from."""

from symshift.stories.files import read, write
from symshift.stories.load import load
from symshift.stories.question import Question, by_story, fingerprint, tokenize
from symshift.stories.worlds import World, generate

__all__ = ["Question", "World", "by_story", "fingerprint", "generate", "load", "read", "tokenize", "write"]
