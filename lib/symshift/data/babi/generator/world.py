"""The world of generated stories: people, places and objects, in any number and with any names."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from random import Random

from symshift.data.words import fold, tokenize
from symshift.errors import InputError

WOMEN = {
    "mary", "sandra", "julie", "gertrude", "winona", "jessica", "emily", "lily",
    "clara", "nina", "alice", "irene", "helena", "laura", "ruth", "rosa",
}  # fmt: skip


@dataclass(frozen=True)
class World:
    """The people, places and objects that stories may name; each story has a cast of a few of them.

    Raises:
        InputError: Names are no list, or one is no word (objects may have several words), or stands twice.
    """

    people: tuple[str, ...] = ("John", "Mary", "Sandra", "Daniel")
    places: tuple[str, ...] = ("bedroom", "kitchen", "garden", "hallway", "bathroom", "office")
    objects: tuple[str, ...] = ("apple", "football", "milk")

    def __post_init__(self) -> None:
        """Check the names."""
        seen: dict[tuple[str, ...], str] = {}
        for kind, names in self.kinds().items():
            if isinstance(names, str) or not isinstance(names, Sequence):
                raise InputError(f"{kind}: {names!r} is no list of names; ('Mary', 'John') would be one")
            for name in names:
                words = tokenize(name) if isinstance(name, str) else ()
                if not words or " ".join(words) != fold(name) or (kind != "objects" and len(words) != 1):
                    raise InputError(f"{kind}: {name!r} is no name; letters, digits and hyphens would be right")
                if words in seen:
                    raise InputError(f"{kind}: {name!r} is also in {seen[words]}; each name may stand once")
                seen[words] = kind

    def kinds(self) -> dict[str, tuple[str, ...]]:
        """Return the names by kind: people, places, objects."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def cast(self, rng: Random, people: int = 4, places: int = 6, objects: int = 3) -> "World":
        """Draw the cast of one story: at most so many people, places and objects, in the world's order."""
        cast: dict[str, tuple[str, ...]] = {}
        for (kind, names), maximum in zip(self.kinds().items(), (people, places, objects), strict=True):
            indices = rng.sample(range(len(names)), min(maximum, len(names)))
            cast[kind] = tuple(names[index] for index in sorted(indices))
        return World(**cast)


def pronoun(name: str) -> str:
    """Return the pronoun of a person: `she` or `he`."""
    return "she" if name.lower() in WOMEN else "he"
