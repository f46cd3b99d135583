"""The registry of networks: the name that presets call a network by, and the family it is drawn with.

`@register("name")` on a class is all that a new model needs, in this package, in a notebook or in another package. That
package names the module which holds its classes under the entry point group `symshift.networks`:

    [project.entry-points."symshift.networks"]
    mine = "my_package.networks"

A person's own file of networks is named by the environment variable `SYMSHIFT_NETWORKS`. Both are run when presets are
listed, or when a preset asks for a network that is not registered yet.
"""

import inspect
import re
import zlib
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from importlib.metadata import entry_points
from typing import Any, TypeVar

from symshift.constraints import field_types, is_setting
from symshift.errors import InputError, suggest
from symshift.models.base import Network
from symshift.own_files import run_file_of

ENTRY_POINTS, NETWORKS_VARIABLE = "symshift.networks", "SYMSHIFT_NETWORKS"
RESERVE = (("#7A00FF", ">"), ("#6F596F", "p"), ("#907AFF", "H"), ("#904E16", "8"), ("#DEB1DE", "s"))

AnyClass = TypeVar("AnyClass")


@dataclass(frozen=True)
class Family:
    """Models of one kind: they share a colour, a marker and a place in the order of tables and figures."""

    colour: str
    marker: str
    after: str  # the family that it stands directly behind; none: the order of registration


NETWORKS: dict[str, type[Network]] = {}
FAMILIES: dict[str, Family] = {}
FAMILY_OF: dict[str, str] = {}  # of each network


def register(
    name: str, *, family: str = "", colour: str = "", marker: str = "", after: str = ""
) -> Callable[[AnyClass], AnyClass]:
    """Register the decorated class as the network `name`.

    Args:
        name: What a preset says after `network:`.
        family: The family whose colour, marker and place it shares; by default a new one of its own name.
        colour: A new family's colour as `#RRGGBB`; by default one of a reserve, chosen by the family's name.
        marker: A new family's marker as matplotlib names it; by default the one that belongs to its reserve colour.
        after: The family that a new one stands directly behind; by default it stands last.

    Raises:
        InputError: The class lacks what a network needs, or the name or the colour cannot be used.
    """
    check_name(name)
    for setting, value in {"family": family, "colour": colour, "marker": marker, "after": after}.items():
        if not isinstance(value, str):
            raise InputError(f"network {name!r} is registered with the {setting} {value!r}; a text would be right")

    def add(network: AnyClass) -> AnyClass:
        network_class = _check_network(name, network)
        if not family:
            add_family(name, colour=colour, marker=marker, after=after)
        elif colour or marker or after:
            raise InputError(f"network {name!r} takes colour, marker and place from its family {family!r}; leave them")
        NETWORKS[name] = network_class
        FAMILY_OF[name] = family or name
        return network

    return add


def check_name(name: Any) -> None:
    """Refuse what is no name, as the class itself below a bare `@register`.

    Raises:
        InputError: It is no name.
    """
    if isinstance(name, type):
        raise InputError(f"register has no name for {name.__name__}; `@register('mine')` would be right")
    if not isinstance(name, str) or not name:
        raise InputError(f"register has the name {name!r}; a text such as 'mine' would be right")


def add_family(name: str, *, colour: str = "", marker: str = "", after: str = "") -> None:
    """Add a family without a network, as `register` does: for presets that are shown as a model of their own.

    Raises:
        InputError: The colour is none, or the family stands behind itself.
    """
    before = after
    while before != name and before in FAMILIES:
        before = FAMILIES[before].after
    if before == name:
        raise InputError(f"family {name!r} is after {after!r}, which leads back to it; put it after another one")
    if colour and not re.fullmatch("#[0-9A-Fa-f]{6}", colour):
        raise InputError(f"family {name!r} has the colour {colour!r}; give it as #RRGGBB")
    reserve_colour, reserve_marker = _reserve(name)
    FAMILIES[name] = Family(colour or reserve_colour, marker or reserve_marker, after)


def families() -> list[str]:
    """Families in the order of tables and figures; of several directly behind the same one the latest comes first."""

    def with_followers(name: str) -> list[str]:
        followers = [other for other, family in FAMILIES.items() if family.after == name]
        return [name, *(each for other in reversed(followers) for each in with_followers(other))]

    first = [name for name, family in FAMILIES.items() if family.after not in FAMILIES]
    return [each for name in first for each in with_followers(name)]


def find_network(name: str) -> type[Network]:
    """The network that is registered under a name, here or by an installed package.

    Raises:
        InputError: There is none, or its family or the family it stands behind is unknown.
    """
    if name not in NETWORKS:
        run_own_file()
        import_entry_points()
    if name not in NETWORKS:
        check_entry_points()  # a package that fails may be the network's
        own = f"a file of your own networks is named by {NETWORKS_VARIABLE}"
        raise InputError(f"network {name!r} is unknown; {suggest(name, NETWORKS)}; {own}")
    family = FAMILY_OF[name]
    after = FAMILIES[family].after if family in FAMILIES else ""
    for each in (family, after):
        if each and each not in FAMILIES:
            hint = suggest(each, families())
            raise InputError(f"network {name!r} is registered with the family {each!r}, which is unknown; {hint}")
    return NETWORKS[name]


def _check_network(name: str, network: object) -> type[Network]:
    """Return a class if it can be trained from a preset; a cell of a notebook that runs again may replace its own."""
    if not (isinstance(network, type) and issubclass(network, Network)):
        raise InputError(f"network {name!r}: {network!r} is not derived from symshift.models.Network")
    known = NETWORKS.get(name, network)
    if (known.__module__, known.__qualname__) != (network.__module__, network.__qualname__):
        raise InputError(f"network {name!r} is registered already, by {known.__module__}.{known.__qualname__}")
    if not hasattr(network, "Config"):
        raise InputError(f"network {name!r}: {network.__name__} has no dataclass `Config` of what a preset sets of it")
    _check_config(name, network.Config)
    if network.forward is Network.forward:
        raise InputError(f"network {name!r}: {network.__name__} has no method forward(batch, rng)")
    try:
        inspect.signature(network).bind("config", "vocabulary", "generator")
    except TypeError:
        needs = "(config, vocabulary, generator)"
        raise InputError(f"network {name!r}: {network.__name__} is not built from {needs}") from None
    return network


def _check_config(name: str, config: object) -> None:
    if not (isinstance(config, type) and is_dataclass(config)):
        called = config.__name__ if isinstance(config, type) else repr(config)
        raise InputError(f"network {name!r}: its Config {called} is no dataclass; put @dataclass(frozen=True) above it")
    typed = {field.name for field in fields(config)} | inspect.get_annotations(config).keys()  # `ClassVar` is no field
    for field, value in vars(config).items():
        method = callable(value) or isinstance(value, (property, classmethod, staticmethod))
        if not (field.startswith("_") or method or field in typed):
            raise InputError(f"network {name!r}: {config.__name__}.{field} has no type; `{field}: Count` would be one")
    try:
        types = field_types(config)
    except (NameError, TypeError) as error:
        raise InputError(f"network {name!r}: {config.__name__} has an unknown type: {error}") from None
    for field, kind in types.items():
        if not is_setting(kind):
            shown = getattr(kind, "__name__", str(kind))
            raise InputError(
                f"network {name!r}: {config.__name__}.{field} is no int, float, str or Literal, but {shown}; "
                "symshift.constraints has Count, Rate and others"
            )
    for entry in fields(config):
        if entry.default_factory is not MISSING:  # a value that may be another in each process has no place in run ids
            right = f"a default such as `{entry.name}: Count = 3` is right"
            raise InputError(f"network {name!r}: {config.__name__}.{entry.name} has a default_factory; {right}")
    try:
        inspect.signature(config).bind(**dict.fromkeys(types))
    except TypeError as error:
        fault = f"{config.__name__} is not built from its fields alone ({error})"
        raise InputError(f"network {name!r}: {fault}; a property is right for what no preset sets") from None


def _reserve(name: str) -> tuple[str, str]:
    """A colour and a marker by a family's name, the next ones where another family has them."""
    start = zlib.crc32(name.encode())
    taken = {family.colour for other, family in FAMILIES.items() if other != name}
    choices = [RESERVE[(start + shift) % len(RESERVE)] for shift in range(len(RESERVE))]
    return next((look for look in choices if look[0] not in taken), choices[0])


def run_own_file() -> None:
    """Run the file that `SYMSHIFT_NETWORKS` names, once: it registers networks, and may add presets.

    Raises:
        InputError: It is no Python file, or fails.
    """
    run_file_of(NETWORKS_VARIABLE, "networks")


@cache
def import_entry_points() -> list[str]:
    """Import the modules that installed packages name, once in a process: they register networks, and may add presets.

    Returns:
        What is wrong with each that cannot be imported; the others are imported none the less.
    """
    return [fault for entry in entry_points(group=ENTRY_POINTS) if (fault := _import_entry_point(entry))]


def check_entry_points() -> None:
    """Name the first of the modules of `import_entry_points` that cannot be imported.

    Raises:
        InputError: There is one.
    """
    if faults := import_entry_points():
        raise InputError(faults[0])


def _import_entry_point(entry: Any) -> str:
    """Import the module that a package names; return what is wrong, an empty string where nothing is.

    Args:
        entry: An `EntryPoint` of `importlib.metadata`, or of its backport where some package has imported that.
    """
    package = f" of the package {entry.dist.name}" if entry.dist else ""
    if not entry.pattern.match(entry.value):
        right = f'`{entry.name} = "my_package.networks"` would be right'
        return f"entry point {entry.name} = {entry.value!r}{package} names no module; {right}"
    try:
        entry.load()
    except (Exception, SystemExit) as error:
        return f"the networks of {entry.value}{package} cannot be loaded ({type(error).__name__}: {error})"
    return ""
