"""Questions of the Children's Book Test (Hill et al., 2016, arXiv 1511.02301) from any book.

Of 21 sentences that follow one another the last loses a word that the 20 before it have too: a name or a common noun.
Nine other words of the 20, of the same kind or, if these are too few, of the other, stand beside it to choose from.

Deviations: TextBlob tags the words and NLTK splits plain text (the extra `cloze` is all they need), both
done by Stanford CoreNLP there; names are the proper nouns that the book never writes in lower case, not what a tagger
of named entities finds; a place in a book gives at most one question of a kind.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from random import Random

from symshift.data import haystack
from symshift.data.cbt.format import BLANK, CANDIDATES, CONTEXT_LENGTH, Cloze, word
from symshift.data.words import MARKS
from symshift.errors import InputError

try:
    from nltk.tokenize import NLTKWordTokenizer, PunktSentenceTokenizer
    from textblob.en import parser
except ImportError as missing:
    raise InputError(f"no {missing.name}: pip install -c constraints.txt -e '.[cloze]'") from None

TAGS = {"names": ("NNP", "NNPS"), "nouns": ("NN", "NNS")}
LETTERS = re.compile(rf"(?:[^\W\d_][{MARKS}]*){{2,}}(?:-(?:[^\W\d_][{MARKS}]*)+)*")
PARAGRAPH = re.compile(r"\n\s*\n")
STRAIGHT = str.maketrans("“”‘’", "\"\"''", "_")  # quotes, and no marks of italics


def sentences(text: str) -> list[str]:
    """Return the sentences of a book in plain text, with spaces between words and marks; an empty line ends one too.

    The splitter learns from the text which full stops end no sentence, so give a whole book.
    """
    straight = text.translate(STRAIGHT)
    splitter = PunktSentenceTokenizer(straight)
    tokenizer = NLTKWordTokenizer()
    paragraphs = PARAGRAPH.split(straight)
    return [" ".join(tokenizer.tokenize(sentence)) for part in paragraphs for sentence in splitter.tokenize(part)]


def books(part: str, path: str | Path | None = None) -> list[list[str]]:
    """Return the sentences of each of the test's own books of a part.

    Args:
        part: Valid, test, or what else the archive has.
        path: The archive; by default the one beside the repository.

    Raises:
        InputError: The archive cannot be read, or has no such part.
    """
    texts = haystack.texts(path)
    if part not in texts:
        right = f"one of {', '.join(texts)}" if texts else "an archive of the Children's Book Test's books"
        raise InputError(f"part {part!r}: {right} would be right")
    return [book.strip().splitlines() for book in haystack.TITLE.split(texts[part])[1:]]


def blanks(books: Sequence[Sequence[str]], kind: str, count: int = 1000, seed: int = 0) -> list[Cloze]:
    """Make questions on a word of a kind, from random positions in the books.

    Two questions may share sentences; those of two books never do.

    Args:
        books: The sentences of each book.
        kind: Names or nouns.
        count: How many questions, or as many as there are.
        seed: Equal seeds give equal questions.

    Raises:
        InputError: The kind or the count is wrong, or the books give no question.
    """
    if kind not in TAGS:
        raise InputError(f"kind {kind!r}: one of {', '.join(TAGS)} would be right")
    if count < 1:
        raise InputError(f"count {count!r}: a whole number above 0 would be right")
    rng = Random(f"blanks, {kind}, seed {seed}")
    tagged = [TaggedBook.of(book) for book in books]
    positions = [(book, line) for book in tagged for line in range(CONTEXT_LENGTH, len(book.sentences))]
    rng.shuffle(positions)
    clozes = (_cloze(book, line, kind, rng) for book, line in positions)
    questions = list(islice(filter(None, clozes), count))
    if not questions:
        raise InputError(
            f"books: no {CONTEXT_LENGTH + 1} sentences in a row share one of their {kind}; give longer texts"
        )
    return questions


@dataclass(frozen=True)
class TaggedBook:
    """A book whose words have kinds; `common` are the words that it writes in lower case."""

    sentences: Sequence[str]
    common: frozenset[str]

    @classmethod
    def of(cls, sentences: Sequence[str]) -> "TaggedBook":
        """Return the book of these sentences."""
        tokens = {token for sentence in sentences for token in sentence.split()}
        return cls(sentences, frozenset(filter(str.islower, tokens)))

    def words(self, kind: str, line: int) -> dict[str, int]:
        """Return the words of a kind in a sentence, as candidates are written, and the first token of each."""
        first_token: dict[str, int] = {}
        for index, (token, tag) in enumerate(_tags(self.sentences[line])):
            right_case = kind == "nouns" or token.lower() not in self.common
            if right_case and tag in TAGS[kind] and LETTERS.fullmatch(token):
                first_token.setdefault(word(token), index)
        return first_token


def _cloze(book: TaggedBook, line: int, kind: str, rng: Random) -> Cloze | None:
    """Return the question on a sentence, if it and the sentences before it have the words."""
    blank_words = book.words(kind, line)
    if not blank_words:
        return None
    (other_kind,) = TAGS.keys() - {kind}
    context = range(line - CONTEXT_LENGTH, line)
    same = {candidate for before in context for candidate in book.words(kind, before)}
    others = {candidate for before in context for candidate in book.words(other_kind, before)}
    answers = sorted(same & blank_words.keys())
    if not answers or len(same | others) < CANDIDATES:
        return None
    answer = rng.choice(answers)
    same_shuffled = _shuffled(same - {answer}, rng)
    others_shuffled = _shuffled(others - same, rng)
    candidates = sorted([answer, *[*same_shuffled, *others_shuffled][: CANDIDATES - 1]])
    tokens = book.sentences[line].split()
    tokens[blank_words[answer]] = BLANK
    story = tuple(book.sentences[line - CONTEXT_LENGTH : line])
    return Cloze(story, " ".join(tokens), answer, (), 0, "generated", tuple(candidates))


def _shuffled(words: set[str], rng: Random) -> list[str]:
    return rng.sample(sorted(words), len(words))


@lru_cache(maxsize=1 << 16)
def _tags(sentence: str) -> list[tuple[str, str]]:
    return [(token, tag) for token, tag in parser.find_tags(sentence.split())]
