"""Verify a finished run: its files are as training wrote them, and its weights err on the test as its record says."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from symshift.config import presets
from symshift.errors import InputError
from symshift.models.registry import NETWORKS, NETWORKS_VARIABLE, check_entry_points
from symshift.preset_files import PARAMS_VARIABLE
from symshift.runs.answers import answers, percent_wrong
from symshift.runs.reader import load
from symshift.runs.record import code_fault, id_fault
from symshift.runs.store import Store
from symshift.training.data import Data
from symshift.training.recorded_stories import load_recorded_stories

ROUNDING = 1e-3  # percent; a record has four decimals
OTHER_DEVICE = 0.5  # percent: a GPU rounds otherwise, which may turn the answer to a few of 1,000 questions


class CheckResult(NamedTuple):
    """What came out of one check.

    Attributes:
        name: What was checked.
        good: Whether it is as it should be; None where it could not be checked.
        text: What is so, in one line.
    """

    name: str
    good: bool | None
    text: str


def verify(run: str, outputs: str | Path | None = None, stories: Data | None = None) -> list[CheckResult]:
    """Check a run's record, id, curve, weights, stories and test error.

    Args:
        run: Its id.
        outputs: The folder of the store, as in `Store`.
        stories: The stories of the run, where they are neither a task's own nor those of a split.

    Returns:
        One result for each check, in this order; only the record's where that is damaged.

    Raises:
        InputError: There is no such run.
    """
    store = Store(outputs)
    if not store.record_exists(run):
        store.record(run)  # says which there are
    results = [_result("record", lambda: _record(store, run))]
    if not results[0].good:
        return results
    record = store.record(run)
    results += [
        _result("id", lambda: _id(run, record)),
        _result("curve", lambda: _curve(store, run, record)),
    ]
    weights_result = _result("weights", lambda: _weights(store, run, record))
    try:
        known = stories or load_recorded_stories(record)
    except InputError as error:
        stories_result = CheckResult("stories", None, str(error))
    else:
        stories_result = _result("stories", lambda: _same_stories(record, known))
    results += [weights_result, stories_result]
    if fault := next((result for result in (weights_result, stories_result) if not result.good), None):
        text = f"not computed again; {fault.name}: {fault.text}"
        return [*results, CheckResult("test error", None, text)]
    return [*results, _result("test error", lambda: _test_error(run, outputs, record, known))]


def _result(name: str, check: Callable[[], str | CheckResult]) -> CheckResult:
    try:
        result = check()
    except InputError as error:
        return CheckResult(name, False, str(error))
    return result if isinstance(result, CheckResult) else CheckResult(name, True, result)


def _record(store: Store, run: str) -> str:
    store.record(run)
    return "complete, and every entry is possible"


def _id(run: str, record: Mapping[str, Any]) -> str:
    if fault := id_fault(run, record):
        raise InputError(fault)
    return "that of config, seed and stories"


def _curve(store: Store, run: str, record: Mapping[str, Any]) -> str:
    curve = store.curve(run)
    chosen = record["chosen"].get("update")
    if chosen not in set(curve["update"]):
        raise InputError(f"has no validation at the chosen update {chosen}")
    return f"{len(curve)} validations, {_checksum_note(record)}"


def _weights(store: Store, run: str, record: Mapping[str, Any]) -> str | CheckResult:
    if not store.has_weights(run):
        return CheckResult("weights", None, "not here, only the record")
    count = sum(tensor.numel() for tensor in store.weights(run)[0].values())
    if fault := _model_fault(record["config"]) or code_fault(record):
        return CheckResult("weights", None, fault)
    load(run, store.outputs)
    return f"{count:,} finite numbers that fit the config, {_checksum_note(record)}"


def _checksum_note(record: Mapping[str, Any]) -> str:
    return "checksum as in the record" if record.get("sha256") else "no checksum in this older record"


def _model_fault(config: Mapping[str, Any]) -> str:
    """Say that the model of a record is unknown here, and what would register it; an empty string where it is known."""
    model, network = config["model"], config.get("network")
    try:
        if model not in presets() or network not in NETWORKS:
            check_entry_points()
    except InputError as error:
        return f"model {model!r} cannot be built here: {error}"
    if model not in presets():
        own = f"name its file in {NETWORKS_VARIABLE}, or the folder of its preset in {PARAMS_VARIABLE}"
        return f"model {model!r} is unknown here; install or run what registers it, {own}"
    if network not in NETWORKS:
        return f"network {network!r} of model {model!r} is unknown here; install or run what registers it"
    return ""


def _same_stories(record: Mapping[str, Any], stories: Data) -> str:
    if stories.checksum != record["provenance"]["data"]:
        raise InputError("have another checksum than those of the record; stories of your own are named by --stories")
    return f"{len(stories.train):,} training and {len(stories.test):,} test questions, checksum as in the record"


def _test_error(run: str, outputs: str | Path | None, record: Mapping[str, Any], stories: Data) -> str:
    again = percent_wrong(answers(load(run, outputs), stories.test))
    recorded, device = record["error"]["test"], record["provenance"].get("device", "")
    tolerance = ROUNDING if device == "cpu" else OTHER_DEVICE
    comparison = f"{again:.2f} % by the weights, {recorded:.2f} % in the record"
    if abs(again - recorded) > tolerance:
        raise InputError(comparison)
    return comparison
