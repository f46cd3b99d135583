"""What a run is: a preset, the overrides of whoever starts it, checked name by name and type by type.

A preset is a YAML file (`preset_files`), readable by `papermill -f`. The names it may set are the fields of
`TrainingConfig` and of its network's `Config`; every run also has `model`, `task`, `examples` and `source`.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, asdict, dataclass, fields
from typing import Any, Literal

from symshift import preset_files
from symshift.constraints import BatchSize, Count, Positive, Rate, check_value, field_types
from symshift.data.babi.generator.own_tasks import TASKS_VARIABLE, find_task
from symshift.data.load import SOURCES
from symshift.errors import InputError, errors_at, suggest
from symshift.models.code_fingerprint import code_fingerprint
from symshift.models.registry import FAMILIES, FAMILY_OF, families, find_network
from symshift.preset_files import Preset
from symshift.preset_files import presets as presets

BASELINE = "lstm"  # the family of models that are unknown
COMMON = ("model", "network", "task", "examples", "source")
# what a table of runs has beside their settings
RECORDED = ("id", "seed", "stories", "data", "seconds", "updates_per_second", "restarts", "code")
MAX_EXAMPLES = 10**6  # as many generated questions fill some GB
LAST_SENTENCES, LAST_SENTENCES_TASK_3 = 70, 130  # the papers' caps


@dataclass(frozen=True)
class TrainingConfig:
    """How every model is trained. An update is one batch of one model."""

    batch: BatchSize
    updates: Count  # at most
    optimizer: Literal["adam", "sgd"]
    learning_rate: float
    beta1: Rate  # Adam's, unused by sgd
    beta2: Rate
    clip: Positive  # largest norm of a model's gradient
    halve_every: int  # updates between halvings of the learning rate; 0: never
    evaluate_every: Count  # updates between validations
    patience: Count  # updates without a better validation before a model stops
    solved: float  # validation loss below which a model without validation errors stops; 0: never
    restart_at: int  # at the first validation from this update on a model may start again from another seed; 0: never
    restart_above: float  # best validation error, in percent, above which it then does
    sentences: int  # read at most this many last sentences; 0: the papers' 70, and 130 in task 3
    weight_decay: float = 0.0  # each update takes learning_rate * weight_decay of what `Network.decays` names
    answer_dropout: Rate = 0.0  # chance in training that symbols alone say words of the story and question, if they can
    answers: Literal["whole", "items"] = "whole"  # a list of words of the story is one class, or said item by item


@dataclass(frozen=True)
class RunConfig:
    """One run but for its seed."""

    model: str
    network: str
    task: int
    examples: int
    source: str  # one of `data.load.SOURCES`, or in a record what the stories say of themselves
    network_config: Any
    training: TrainingConfig

    @property
    def sentences(self) -> int:
        """How many last sentences of a story are read."""
        papers = LAST_SENTENCES_TASK_3 if self.task == 3 else LAST_SENTENCES
        return self.training.sentences or papers

    def settings(self) -> dict[str, Any]:
        """Every name and value."""
        own = {name: getattr(self, name) for name in COMMON}
        return own | asdict(self.network_config) | asdict(self.training)

    def defaults(self) -> dict[str, Any]:
        """The settings that a preset may leave out, with the values that they then have."""
        return default_values(type(self.network_config)) | default_values(TrainingConfig)

    def flat(self) -> dict[str, Any]:
        """Names and values as a run record holds them.

        A setting that has a default is there only where it has another value: a record from before there was such a
        setting keeps its id.
        """
        defaults = self.defaults()
        return {n: value for n, value in self.settings().items() if n not in defaults or value != defaults[n]}

    @property
    def code(self) -> str:
        """The fingerprint of the network's code; empty for one of this library."""
        return code_fingerprint(find_network(self.network))

    def id(self, seed: int, data: str) -> str:
        """The run's name in the store, from the config, the seed, the data's key and the network's code."""
        return run_id(self.flat(), seed, data, self.code)


def run_id(settings: Mapping[str, Any], seed: int, data: str, code: str = "") -> str:
    """Return 12 hex digits over what a run is.

    Args:
        settings: The flat config, as a run record holds it.
        seed: Its seed.
        data: The key of its data (`data_key`).
        code: The fingerprint of its network's code; empty for a network of this library.
    """
    parts = {**settings, "seed": seed, "data": data} | ({"code": code} if code else {})
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:12]


def data_key(checksum: str, name: str) -> str:
    """Return the key of stories by their checksum and their name; a task's own stories have none."""
    return f"{checksum} {name}".rstrip()


def configure(values: Mapping[str, Any]) -> RunConfig:
    """Build the config of a run.

    Args:
        values: `model` names the preset; every other name that is not None overrides it.

    Raises:
        InputError: A name is unknown, or a value is not one that its setting may have.
    """
    if not isinstance(values, Mapping):
        raise InputError(f"configure takes a mapping such as {{'model': 'stpr'}}; this is {str(values)[:40]!r}")
    preset = _preset(values.get("model"))
    settings = _without_none(values)
    config = _config(preset, preset.values | settings)

    def refuse(name: str, fault: str) -> InputError:
        file = f"{preset.path.name}: " if name in preset.own and name not in settings else ""
        return InputError(f"{file}{name} is {getattr(config, name)!r}{fault}")

    if find_task(config.task) is None:
        own = f"a task of your own is registered by @task, or by a file that {TASKS_VARIABLE} names"
        raise refuse("task", f", but bAbI's tasks are 1 to 20; {own}")
    if config.examples < 10:
        raise refuse("examples", "; at least 10 are needed to train and validate")
    if config.examples > MAX_EXAMPLES:
        raise refuse("examples", f"; at most {MAX_EXAMPLES} would be right")
    if config.source not in SOURCES:
        raise refuse("source", f"; choose from {', '.join(SOURCES)}")
    return config


def config_from_record(values: Mapping[str, Any]) -> RunConfig:
    """The checked config of a run record, whose stories may be of other tasks and numbers (`Data.describe`).

    What it leaves out (`RunConfig.flat`) has the setting's default, whatever its preset has.
    """
    preset = _preset(values.get("model"))
    defaults = default_values(find_network(preset.values["network"]).Config) | default_values(TrainingConfig)
    return _config(preset, preset.values | defaults | _without_none(values))


def _without_none(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _config(preset: Preset, values: Mapping[str, Any]) -> RunConfig:
    """The checked config of a preset's network with these values."""
    merged = {"task": 1, "examples": 1000, "source": "auto", "base": preset.base, **values}
    model, base = preset.name, merged.pop("base")
    if base != preset.base:
        raise InputError(f"base is {base!r}, but the preset {model} fixes it; choose another model")
    if merged["network"] != preset.values["network"]:
        raise InputError(f"network is {merged['network']!r}, but the preset {model} fixes it; choose another model")
    known = names(model)
    for name in merged:
        if name not in known:
            raise InputError(f"parameter {name!r} is unknown to {model}; {suggest(name, known, 'it has')}")
    types = field_types(RunConfig)
    common = {name: _check_setting(preset, name, merged[name], types[name]) for name in COMMON}
    network_config = _build(preset, find_network(common["network"]).Config, merged)
    return RunConfig(**common, network_config=network_config, training=_build(preset, TrainingConfig, merged))


def names(model: str) -> list[str]:
    """Every parameter that a run of this preset has."""
    return _names(network_of(model))


def network_of(model: str) -> str:
    """The network of a preset.

    Raises:
        InputError: There is no such preset, or its file or that of a base is not one of a preset.
    """
    return preset_files.read(model).values["network"]


def family(model: str) -> tuple[str, str]:
    """The family of a preset, and what its name adds: `stpr-sm` is `stpr` and `sm`, `mn+prehoc` is `mn` and `prehoc`.

    A name that begins with no family's is of its network's family, or where it is no preset of the baseline's.
    """
    name = _leading_family(model)
    if not name and model in presets():
        network = _preset(model).values["network"]  # which may have loaded the package that has its family
        name = _leading_family(model) or FAMILY_OF[network]
    name = name or BASELINE
    return name, model.removeprefix(name)[1:] if model.startswith(name) else model


def sort_presets(models: Iterable[str]) -> list[str]:
    """Presets in the one order of models, plain forms first."""
    order = families()

    def rank(model: str) -> tuple[int, str]:
        name, suffix = family(model)
        return order.index(name), suffix

    return sorted(set(models), key=rank)


def _leading_family(model: str) -> str:
    """The longest family that a preset's name begins with."""
    plain = model.replace("+", "-")
    return max((name for name in FAMILIES if f"{plain}-".startswith(f"{name}-")), key=len, default="")


def _preset(model: Any) -> Preset:
    """A preset with the values that its network has: others are left out of its bases, and are an error in itself."""
    preset = preset_files.read(model)
    network = preset.values["network"]
    with errors_at(preset.path.name):
        known = _names(network)
    for name in preset.own:
        if name not in known:
            raise InputError(f"{preset.path.name}: parameter {name!r} is unknown; {suggest(name, known, 'it has')}")
    return preset._replace(values={name: value for name, value in preset.values.items() if name in known})


def _names(network: str) -> list[str]:
    config: type = find_network(network).Config
    own, training = [*field_types(config)], [*field_types(TrainingConfig)]
    if twice := [name for name in own if name in (*COMMON, *training, *RECORDED)]:
        raise InputError(f"network {network!r}: its Config has {twice[0]!r}, which every run has; call it otherwise")
    return [*COMMON, *own, *training]


def _check_setting(preset: Preset, name: str, value: Any, kind: Any) -> Any:
    """The value of a setting, checked; the error of one that is the preset's names its file."""
    try:
        return check_value(name, value, kind)
    except InputError as error:
        if value is not preset.values.get(name):
            raise
        file = preset.path.name if name in preset.own else f"{preset.path.name}, by its base {preset.base}"
        raise InputError(f"{file}: {error}") from None


def _build(preset: Preset, config: type, values: Mapping[str, Any]) -> Any:
    """Build a config from its part of the values, each checked against its field.

    Raises:
        InputError: A value is missing, or is none that its field may have, or the config itself refuses them together.
    """
    types, merged = field_types(config), default_values(config) | dict(values)
    missing = [name for name in types if name not in merged]
    if missing:
        raise InputError(f"the preset {preset.name} does not set {', '.join(missing)}")
    checked = {name: _check_setting(preset, name, merged[name], types[name]) for name in types}
    return construct(config, checked, f"model {preset.name}")


def construct(config: type, values: Mapping[str, Any], whose: str) -> Any:
    """Build a config from checked values.

    Raises:
        InputError: Its own `__post_init__` refuses them; the line begins with `whose`.
    """
    try:
        return config(**values)
    except InputError:
        raise
    except Exception as error:  # of a person's own `__post_init__`
        fault = f"{type(error).__name__}: {error}"
        raise InputError(f"{whose}: {config.__name__} refuses its settings ({fault})") from None


def default_values(config: type) -> dict[str, Any]:
    """The fields of a config that have a default, and these values."""
    return {field.name: field.default for field in fields(config) if field.default is not MISSING}
