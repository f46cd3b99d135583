"""What the stories are about, and the words they use (`notes/babi-facts.md`, "Shared world")."""

from dataclasses import dataclass

MOVES = ("went to", "went back to", "journeyed to", "travelled to", "moved to")
GETS = ("took", "got", "grabbed", "picked up")
DROPS = ("dropped", "left", "discarded", "put down")
GIVES = ("passed", "gave", "handed")


@dataclass(frozen=True)
class World:
    """The people, places and objects of a story."""

    people: tuple[str, ...] = ("John", "Daniel", "Mary", "Sandra")
    places: tuple[str, ...] = ("bedroom", "kitchen", "garden", "hallway", "bathroom", "office")
    objects: tuple[str, ...] = ("apple", "football", "milk")


WOMEN = {
    "mary", "sandra", "julie", "gertrude", "winona", "jessica", "emily", "lily",
    "clara", "nina", "alice", "irene", "helena", "laura", "ruth", "rosa",
}  # fmt: skip


def pronoun(name: str) -> str:
    """How a sentence refers back to a person."""
    return "she" if name.lower() in WOMEN else "he"
