"""`symshift.check`: whether a network keeps the contract that training and its tests count on, property by property."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import torch

from symshift.config import TrainingConfig, configure, construct, default_values, network_of
from symshift.constraints import check_value, field_types
from symshift.cpu import single_threaded_cpu
from symshift.data import Question, load
from symshift.data.encoding import Batch, Vocabulary, encode
from symshift.data.renaming import all_zero_shot
from symshift.errors import InputError, suggest
from symshift.models.base import Network
from symshift.models.contract import build, try_out
from symshift.models.properties import (
    Finding,
    Specimen,
    batch_order,
    empty_batch,
    equivariance,
    gradients,
    padding,
    probabilities,
    same_seed,
    without_facts,
)
from symshift.models.registry import NETWORKS, find_network
from symshift.ops.rng import fold_in
from symshift.preset_files import presets
from symshift.runs import tensor_file
from symshift.training.data import Data
from symshift.training.ensemble import Ensemble

EXAMPLES, SENTENCES = 60, 70
UPDATES, BATCH, SEEDS = 10, 16, (3, 7, 1)
TRAINING = TrainingConfig(
    batch=BATCH,
    updates=UPDATES,
    optimizer="adam",
    learning_rate=0.001,
    beta1=0.9,
    beta2=0.999,
    clip=5.0,
    halve_every=0,
    evaluate_every=UPDATES,
    patience=UPDATES,
    solved=0.0,
    restart_at=0,
    restart_above=5.0,
    sentences=SENTENCES,
)


@single_threaded_cpu()
def check(network: type[Network] | str, **settings: Any) -> pd.DataFrame:
    """Look for each property of the contract in a registered network, on small generated stories of task 1.

    Args:
        network: A registered class, its name, or a preset.
        settings: Settings of the network; those left out are of the preset, or of the preset that has the network's
            name, or else of the first preset of this network; where it has no preset, the defaults of its `Config`.

    Returns:
        One row a property: `property`, whether it `holds`, and what was `seen`. The last two, answers without
        supporting facts and symbol-shift equivariance, are what a network may have; all others are what training, tests
        and stored runs count on.

    Raises:
        InputError: The network is not registered, a setting is missing or wrong, or a method of it fails or returns
            what training cannot use: which one, and what would be right.
    """
    specimen = _specimen(*_network_and_config(network, settings))
    batch = specimen.questions.buckets[0]
    trial = try_out(specimen.name, specimen.config, specimen.vocabulary, batch, SENTENCES)
    faults = [fault.partition(": ")[2] for fault in trial.faults()]
    first = Finding(not faults, "; ".join(faults) or "losses and logits are finite, all as training needs it")
    rows = [
        ("it can be trained", first),
        *((name, _check_property(find, specimen)) for name, find in PROPERTIES.items()),
    ]
    return pd.DataFrame([(name, *finding) for name, finding in rows], columns=["property", "holds", "seen"])


def same_bits(specimen: Specimen) -> Finding:
    """A seed ends with the same weights in an ensemble of three and alone, bit for bit."""
    three, alone = (_train_briefly(specimen, seeds) for seeds in (SEEDS, SEEDS[1:2]))
    equal = torch.equal(three[1], alone[0])
    difference = float((three[1] - alone[0]).abs().max())
    return Finding(equal, f"weights differ by {difference:.0e} after {UPDATES} updates")


def save_and_load(specimen: Specimen) -> Finding:
    """Weights that are written to a file and read into another model of the network answer as before."""
    model, other = specimen.model(), build(specimen.name, specimen.config, specimen.vocabulary, 1)
    batch, words = specimen.questions.buckets[0], len(specimen.questions.words)
    with torch.device("meta"):
        build(specimen.name, specimen.config, specimen.vocabulary, 0)  # as `symshift.load` does first, for its shapes
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "weights.safetensors"
        file.write_bytes(tensor_file.dump(dict(model.named_parameters()), {}))
        other.load_state_dict(tensor_file.load(file)[0])
    one, again = (probabilities(each, batch, words) for each in (model, other))
    return Finding(torch.equal(one, again), f"probabilities differ by {float((one - again).abs().max()):.0e}")


def no_host_values(specimen: Specimen) -> Finding:
    """An update takes no value and no device from the host, so that a GPU can record it.

    It runs on torch's meta device, which knows shapes alone.
    """
    models = [build(specimen.name, specimen.config, specimen.vocabulary, seed) for seed in SEEDS]
    ensemble = Ensemble(models, TRAINING, "cpu")
    ensemble.template.to("meta")
    weights = ensemble.weights = ensemble.weights.detach().to("meta").requires_grad_()
    fields = (torch.stack([field] * len(SEEDS)).to("meta") for field in specimen.questions.buckets[0])
    keys, update = (torch.empty(shape, dtype=torch.int32, device="meta") for shape in ((len(SEEDS), 2), ()))
    _, gradient = ensemble.gradient(keys, update, Batch(*fields))
    return Finding(gradient.shape == weights.shape, "one update on torch's meta device")


PROPERTIES: dict[str, Callable[[Specimen], Finding]] = {
    "padding changes nothing": padding,
    "batch order changes nothing": batch_order,
    "a batch may be empty": empty_batch,
    "every parameter gets a gradient": gradients,
    "a seed is the same run again": same_seed,
    "same bits alone and in an ensemble": same_bits,
    "saved and loaded it answers the same": save_and_load,
    "no value is read on the host": no_host_values,
    "answers without supporting facts": without_facts,
    "symbol-shift equivariant": equivariance,
}


def _check_property(find: Callable[[Specimen], Finding], specimen: Specimen) -> Finding:
    """Return the finding on a property; a network that raises an error on the way does not have it."""
    try:
        return find(specimen)
    except Exception as error:
        return Finding(False, f"{type(error).__name__}: {(str(error).strip() or 'no message').splitlines()[0]}")


def _train_briefly(specimen: Specimen, seeds: tuple[int, ...]) -> torch.Tensor:
    models = [build(specimen.name, specimen.config, specimen.vocabulary, seed) for seed in seeds]
    ensemble, data = Ensemble(models, TRAINING, "cpu"), Data(_stories(), _stories())
    splits = data.split(specimen.questions, seeds)
    for update in range(UPDATES):
        keys = fold_in(seeds, update)
        ensemble.step(splits.batch(keys, update, BATCH), keys, update)
    return ensemble.weights.detach()


def _stories() -> list[Question]:
    return load(1, EXAMPLES, source="generated")


def _specimen(name: str, config: Any) -> Specimen:
    train = _stories()
    vocabulary = Vocabulary.of(train, SENTENCES)
    unseen = [question for questions in all_zero_shot(train).values() for question in questions]
    return Specimen(name, config, vocabulary, *(encode(part, vocabulary, SENTENCES) for part in (train, unseen)))


def _network_and_config(network: type[Network] | str, settings: dict[str, Any]) -> tuple[str, Any]:
    """The registered name, and a config from a preset's settings and these."""
    name = _registered_name(network)
    preset = network if network in presets() else _preset_of(name)
    if preset:
        config = configure({"model": preset, **settings})
        return config.network, config.network_config
    config_type: type = find_network(name).Config
    types = field_types(config_type)
    for setting in settings:
        if setting not in types:
            raise InputError(f"network {name!r} has no setting {setting!r}; {suggest(setting, types, 'it has')}")
    values = default_values(config_type) | settings
    if missing := [setting for setting in types if setting not in values]:
        names = ", ".join(missing)
        raise InputError(f"network {name!r} has no preset that sets {names}; name them, as check(..., {missing[0]}=1)")
    checked = {key: check_value(key, values[key], kind) for key, kind in types.items()}
    return name, construct(config_type, checked, f"network {name!r}")


def _registered_name(network: type[Network] | str) -> str:
    if isinstance(network, str):
        return network
    for name, registered in NETWORKS.items():
        if registered is network:
            return name
    raise InputError(f'network {network!r} is not registered; put @register("NAME") above its class')


def _preset_of(network: str) -> str:
    """The preset of the network's own name if it is of this network, else the first of this network; none: empty."""
    names = sorted(presets(), key=lambda preset: (preset != network, preset))
    return next((preset for preset in names if _is_of_network(preset, network)), "")


def _is_of_network(preset: str, network: str) -> bool:
    """Return whether a preset is of a network; one whose file is faulty is of none."""
    try:
        return network_of(preset) == network
    except InputError:
        return False
