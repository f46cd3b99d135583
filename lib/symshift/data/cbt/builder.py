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
from symshift.data.cbt.format import BLANK, CANDIDATES, TOLD, Cloze, word
from symshift.errors import InputError

try:
    from nltk.tokenize import NLTKWordTokenizer, PunktSentenceTokenizer
    from textblob.en import parser
except ImportError as missing:
    raise InputError(f"no {missing.name}: pip install -c constraints.txt -e '.[cloze]'") from None

TAGS = {"names": ("NNP", "NNPS"), "nouns": ("NN", "NNS")}
LETTERS = re.compile(r"[^\W\d_]{2,}(?:-[^\W\d_]+)*")
PARAGRAPH = re.compile(r"\n\s*\n")
STRAIGHT = str.maketrans("“”‘’", "\"\"''", "_")  # quotes, and no marks of italics


def sentences(text: str) -> list[str]:
    """The sentences of a book in plain text, with spaces between words and marks; an empty line ends one too.

    Which full stops end no sentence is learnt from the text, so give a whole book."""
    straight = text.translate(STRAIGHT)
    splitter, words = PunktSentenceTokenizer(straight), NLTKWordTokenizer()
    paragraphs = PARAGRAPH.split(straight)
    return [" ".join(words.tokenize(sentence)) for part in paragraphs for sentence in splitter.tokenize(part)]


def books(part: str, place: str | Path | None = None) -> list[list[str]]:
    """The sentences of each of the test's own books of a part (valid, test, or what else the archive has)."""
    texts = haystack.texts(place)
    if part not in texts:
        known = f"one of {', '.join(texts)}" if texts else "an archive of the Children's Book Test's books"
        raise InputError(f"part {part!r}: {known} would be right")
    return [book.strip().splitlines() for book in haystack.TITLE.split(texts[part])[1:]]


def blanks(books: Sequence[Sequence[str]], kind: str, count: int = 1000, seed: int = 0) -> list[Cloze]:
    """So many questions, or as many as there are, on a word of a kind (names, nouns), each from somewhere in the books.

    Places are drawn at random, so that two questions may share sentences; those of two books never do."""
    if kind not in TAGS:
        raise InputError(f"kind {kind!r}: one of {', '.join(TAGS)} would be right")
    if count < 1:
        raise InputError(f"count {count!r}: a whole number above 0 would be right")
    rng = Random(f"blanks, {kind}, seed {seed}")
    tagged = [Tagged.of(book) for book in books]
    places = [(book, place) for book in tagged for place in range(TOLD, len(book.sentences))]
    rng.shuffle(places)
    asked = (_ask(book, place, kind, rng) for book, place in places)
    questions = list(islice(filter(None, asked), count))
    if not questions:
        raise InputError(f"books: no {TOLD + 1} sentences in a row share one of their {kind}; give longer texts")
    return questions


@dataclass(frozen=True)
class Tagged:
    """A book whose words have kinds; `common` are the words it writes in lower case."""

    sentences: Sequence[str]
    common: frozenset[str]

    @classmethod
    def of(cls, sentences: Sequence[str]) -> "Tagged":
        tokens = {token for sentence in sentences for token in sentence.split()}
        return cls(sentences, frozenset(filter(str.islower, tokens)))

    def words(self, kind: str, line: int) -> dict[str, int]:
        """The words of a kind in a sentence, as candidates are written, and where each stands first."""
        found: dict[str, int] = {}
        for place, (token, tag) in enumerate(_tags(self.sentences[line])):
            named = kind == "nouns" or token.lower() not in self.common
            if named and tag in TAGS[kind] and LETTERS.fullmatch(token):
                found.setdefault(word(token), place)
        return found


def _ask(book: Tagged, place: int, kind: str, rng: Random) -> Cloze | None:
    """The question on the sentence at a place, if it and the sentences before it have the words."""
    asked = book.words(kind, place)
    if not asked:
        return None
    (other,) = TAGS.keys() - {kind}
    same, more = ({w for line in range(place - TOLD, place) for w in book.words(of, line)} for of in (kind, other))
    answers = sorted(same & asked.keys())
    if not answers or len(same | more) < CANDIDATES:
        return None
    answer = rng.choice(answers)
    first, then = (rng.sample(sorted(words), len(words)) for words in (same - {answer}, more - same))
    candidates = sorted([answer, *[*first, *then][: CANDIDATES - 1]])
    told, last = tuple(book.sentences[place - TOLD : place]), book.sentences[place].split()
    last[asked[answer]] = BLANK
    return Cloze(told, " ".join(last), answer, (), 0, "generated", tuple(candidates))


@lru_cache(maxsize=1 << 16)
def _tags(sentence: str) -> list[tuple[str, str]]:
    return [(token, tag) for token, tag in parser.find_tags(sentence.split())]
