"""Sentences as bags of words: sums of word vectors, weighted by position, with dropout."""

from symshift.ops.bag_of_words.function import bag_of_words

__all__ = ["bag_of_words"]
