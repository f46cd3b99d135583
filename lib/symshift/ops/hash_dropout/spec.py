"""How much is dropped, and at which site."""

from typing import NamedTuple

from symshift.ops.hashing import keep_threshold, site_salt


class DropoutSpec(NamedTuple):
    """Dropout with probability `rate` at a site."""

    rate: float
    site: int

    @property
    def salt(self) -> int:
        """What the site changes of the key's first half."""
        return site_salt(self.site)

    @property
    def threshold(self) -> int:
        """The number that the hash of an element must be below for it to stay."""
        return keep_threshold(1 - self.rate)

    @property
    def scale(self) -> float:
        """What elements that stay are multiplied by."""
        return 1 / (1 - self.rate)


NO_DROPOUT = DropoutSpec(0.0, 0)
