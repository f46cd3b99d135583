"""What a run's record must be before a number of it enters a table."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from symshift.config import config_from_record, data_key, names, presets, run_id
from symshift.errors import InputError
from symshift.models.code_fingerprint import code_fingerprint
from symshift.models.registry import find_network

GROUPS = {"config": dict, "error": dict, "chosen": dict, "provenance": dict}
COUNTS = ("seed", "restarts")
OPTIONAL_COUNTS = ("updates", "stacked")
OPTIONAL = (*OPTIONAL_COUNTS, "facts", "sha256")
KEYS = {*GROUPS, *COUNTS, *OPTIONAL, "seconds", "updates_per_second"}


class LaterVersionError(ValueError):
    """A record has what this version does not know."""


def check_record(record: Any) -> None:
    """Check a record against its config and the types of its entries.

    Raises:
        LaterVersionError: It has an entry or a setting that this version does not know.
        ValueError: An entry is missing, of another type, or no possible value.
    """
    if not isinstance(record, dict):
        raise ValueError("is no mapping")
    if later := record.keys() - KEYS:
        raise LaterVersionError(f"has {min(later)!r}, which a later version wrote")
    _check_types(record)
    if "test" not in record["error"]:
        raise ValueError("has no test error")
    for group in ("error", "facts"):
        for name, value in record.get(group, {}).items():
            _check_number(f"{group} {name}", value, 100.0)
    for name in ("stories", "data"):
        if not isinstance(record["provenance"].get(name), str):
            raise ValueError(f"does not say its {name}")
    _check_config(json.dumps(record["config"]))


def _check_types(record: dict[str, Any]) -> None:
    for name, kind in GROUPS.items():
        if not isinstance(record.get(name), kind):
            raise ValueError(f"has no mapping {name!r}")
    for name in ("facts", "sha256"):
        if not isinstance(record.get(name, {}), dict):
            raise ValueError(f"has {name} that is no mapping")
    for name in (*COUNTS, *(name for name in OPTIONAL_COUNTS if name in record)):
        if type(record.get(name)) is not int or record[name] < 0:
            raise ValueError(f"has {name} {str(record.get(name))[:40]!r}; a whole number would be right")
    for name in ("seconds", "updates_per_second"):
        _check_number(name, record.get(name), float("inf"))


def _check_number(name: str, value: Any, maximum: float) -> None:
    if type(value) not in (int, float) or not 0 <= value <= maximum or value == float("inf"):
        raise ValueError(f"has {name} {str(value)[:40]!r}; a number from 0 to {maximum:g} would be right")


def code_fault(record: Mapping[str, Any]) -> str:
    """Say that the network of a record has another code by now; nothing where it has not, or is of this library."""
    network, code = record["config"]["network"], record["provenance"].get("code", "")
    if code in ("", code_fingerprint(find_network(network))):
        return ""
    return f"network {network!r} had another code when it was trained; take its class as it was, or train it again"


def id_fault(run: str, record: Mapping[str, Any]) -> str:
    """Say that a record was changed, so that its run has another id; an empty string where the id is right."""
    provenance = record["provenance"]
    stories = provenance["stories"]
    # a record of a task's own stories, which have no name, has their source in its place; a file may be called so too
    names = ["", stories] if stories == record["config"].get("source") else [stories]
    keys = [data_key(provenance["data"], name) for name in names]
    ids = [run_id(record["config"], record["seed"], key, provenance.get("code", "")) for key in keys]
    if run in ids:
        return ""
    return f"config, seed and stories of the record belong to run {ids[0]}; one of them was changed"


@lru_cache(maxsize=4096)
def _check_config(text: str) -> None:
    """Check a config in JSON against its preset; where this is not here, its values must be plain."""
    config = json.loads(text)
    model = config.get("model")
    if not isinstance(model, str):
        raise ValueError("has no model")
    if any(not isinstance(value, str | int | float | None) for value in config.values()):
        raise ValueError("has a setting that is no plain value")
    if model not in presets():
        return
    try:
        known = names(model)
    except InputError:  # its preset cannot be read, or its network is not here, which is no fault of the record
        return
    if later := config.keys() - set(known):
        raise LaterVersionError(f"has the setting {min(later)!r}, which a later version wrote")
    try:
        config_from_record(config)
    except InputError as error:
        raise ValueError(f"has a config that cannot be: {error}") from None
