"""Questions over short stories: official and generated bAbI, files of one's own, and what is made of them."""

from symshift.data.babi.generator import World, generate
from symshift.data.files import read, write
from symshift.data.load import load
from symshift.data.question import Question, by_story, fingerprint
from symshift.data.words import tokenize

__all__ = ["Question", "World", "by_story", "fingerprint", "generate", "load", "read", "tokenize", "write"]
