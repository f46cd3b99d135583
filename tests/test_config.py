"""A run's config: presets, overrides, and one line for each mistake."""

import pickle
from dataclasses import asdict

import numpy as np
import pytest
import yaml

from symshift.config import config_from_record, configure, names, presets
from symshift.errors import InputError
from symshift.models import NETWORKS
from symshift.models.entity_network.model import EntityNetwork
from symshift.models.temporal_attention import PreHoc, with_temporal_attention
from symshift.paths import ROOT

MISTAKES = {
    "misspelt-model": ({"model": "strp"}, "model 'strp' is unknown; did you mean 'stpr'?"),
    "no-model": ({}, "model None is unknown; choose from"),
    "model-of-another-type": ({"model": 3}, "model 3 is unknown; choose from"),
    "misspelt-name": ({"model": "tpr", "learnin_rate": 0.1}, "did you mean 'learning_rate'?"),
    "name-of-another-network": ({"model": "mn", "relation": 3}, "parameter 'relation' is unknown to mn"),
    "task-21": ({"model": "tpr", "task": 21}, "task is 21, but bAbI's tasks are 1 to 20"),
    "task-0": ({"model": "tpr", "task": 0}, "task is 0"),
    "task-in-words": ({"model": "tpr", "task": "one"}, "task is 'one', a str; it wants a whole number such as 3"),
    "task-true": ({"model": "tpr", "task": True}, "task is True, a bool"),
    "examples-in-part": ({"model": "tpr", "examples": 1000.5}, "examples is 1000.5, a float"),
    "too-few-examples": ({"model": "tpr", "examples": 5}, "at least 10 are needed"),
    "too-many-examples": ({"model": "tpr", "examples": 10**10}, "examples is 10000000000; at most 1000000 would be"),
    "source": ({"model": "tpr", "source": "offical"}, "choose from auto, official, generated"),
    "option": ({"model": "tpr", "keys": "tied"}, "keys is 'tied'; choose from free, bounded"),
    "optimizer": ({"model": "tpr", "optimizer": "adamw"}, "choose from adam, sgd"),
    "number-in-words": ({"model": "tpr", "clip": "five"}, "clip is 'five', a str; it wants a number such as 0.001"),
    "negative": ({"model": "tpr", "learning_rate": -0.1}, "it must be finite and not negative"),
    "infinite": ({"model": "tpr", "clip": float("inf")}, "it must be finite and not negative"),
    "not-a-number": ({"model": "tpr", "clip": float("nan")}, "it must be finite and not negative"),
    "large-batch": ({"model": "tpr", "batch": 10**10}, "batch is 10000000000; it must be at most 1e+06"),
    "no-batch": ({"model": "tpr", "batch": 0}, "batch is 0; it must be at least 1"),
    "never-validated": ({"model": "tpr", "evaluate_every": 0}, "evaluate_every is 0; it must be at least 1"),
    "all-dropped": ({"model": "tpr", "dropout": 1.0}, "dropout is 1.0; it must be below 1"),
    "another-network": ({"model": "tpr", "network": "mn"}, "choose another model"),
    "unknown-network": ({"model": "tpr", "network": ["tpr"]}, "network is ['tpr'], but the preset tpr fixes it"),
    "no-dim": ({"model": "mn", "dim": 0}, "dim is 0; it must be at least 1"),
    "no-hidden": ({"model": "lstm", "hidden": 0}, "hidden is 0; it must be at least 1"),
    "more-than-all": ({"model": "mn", "linear_start": 2.0}, "linear_start is 2.0; it is a share, at most 1"),
    "signed-nan": ({"model": "gstpr", "bag": float("nan")}, "bag is nan; it must be finite"),
    "source-of-records": (
        {"model": "tpr", "source": "file"},
        "source is 'file'; choose from auto, official",
    ),
    "no-gradient": ({"model": "tpr", "clip": 0.0}, "clip is 0.0; it must be above 0"),
}


@pytest.mark.parametrize(("values", "says"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_one_line(values, says):
    with pytest.raises(InputError) as raised:
        configure(values)
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("path", sorted((ROOT / "params").glob("*.yaml")), ids=lambda path: path.stem)
def test_main_preset_sets_every_name_and_no_other(path):
    text = yaml.safe_load(path.read_text())
    assert set(text) | {"task", "examples", "source"} == set(names(path.stem))
    assert configure({"model": path.stem}).settings() == {"task": 1, "examples": 1000, "source": "auto", **text}


@pytest.mark.parametrize("path", sorted((ROOT / "params" / "variants").glob("*.yaml")), ids=lambda path: path.stem)
def test_variant_says_only_what_differs_from_its_base(path):
    text = yaml.safe_load(path.read_text())
    base, variant = configure({"model": text["base"]}).settings(), configure(text).settings()
    changed = {name for name, value in variant.items() if base.get(name) != value}
    assert changed == text.keys() - {"base"}
    assert {name: variant[name] for name in changed} == {name: text[name] for name in changed}
    assert set(variant) == set(names(path.stem))


def test_presets_are_the_files_of_both_folders():
    files = [*(ROOT / "params").glob("*.yaml"), *(ROOT / "params" / "variants").glob("*.yaml")]
    assert presets() == sorted(path.stem for path in files)


@pytest.mark.parametrize("network", NETWORKS)
def test_every_network_has_a_preset_of_its_name(network):
    assert configure({"model": network}).network == network


def test_overrides_enter_and_none_does_not():
    changed = configure({"model": "tpr", "entity": 7, "clip": 1, "task": 3, "dim": None})
    plain = configure({"model": "tpr"})
    assert (changed.network_config.entity, changed.task, changed.network_config.dim) == (7, 3, plain.network_config.dim)
    assert configure({"model": "tpr+prehoc", "dim": 0, "hidden": 0}).network_config.dim == 0  # of the vocabulary
    assert changed.training.clip == 1.0
    assert isinstance(changed.training.clip, float)


@pytest.mark.parametrize(
    ("task", "sentences", "read"), [(1, 0, 70), (3, 0, 130), (3, 50, 50)], ids=["papers", "task-3", "preset"]
)
def test_how_many_last_sentences_are_read(task, sentences, read):
    assert configure({"model": "tpr", "task": task, "sentences": sentences}).sentences == read


def test_ids_differ_when_anything_does():
    plain = {"model": "gstpr"}
    numbers = {
        name: value + 1 if isinstance(value, int) else value / 2 + 0.1
        for name, value in configure(plain).flat().items()
        if isinstance(value, int | float)
    }
    words = {"keys": "bounded", "optimizer": "sgd", "source": "generated", "answers": "items"}
    changed = [configure(plain | {name: value}) for name, value in (numbers | words).items()]
    ids = [config.id(0, "data") for config in (configure(plain), configure({"model": "gstpr-sm"}), *changed)]
    ids += [configure(plain).id(1, "data"), configure(plain).id(0, "other data")]
    assert len(set(ids)) == len(ids) > len(vars(configure(plain).training))
    assert all(len(run) == 12 and int(run, 16) >= 0 for run in ids)
    assert configure(dict(reversed(configure(plain).flat().items()))).id(0, "data") == ids[0]


@pytest.mark.parametrize("model", presets())
def test_config_is_had_again_from_its_record(model):
    """With every setting that has a default, where the preset may have another value, as it is and at its default."""
    config = configure({"model": model})
    assert config_from_record(config.flat()) == config
    at_defaults = configure({"model": model} | config.defaults())
    assert config_from_record(at_defaults.flat()) == at_defaults


@pytest.mark.parametrize("model", presets())
def test_config_survives_pickling(model):
    """A sweep sends configs to processes of their own."""
    config = configure({"model": model})
    assert pickle.loads(pickle.dumps(config)) == config


def test_config_survives_a_memory_of_the_same_name():
    """A person's own memory may be called as one of ours is, and have temporal attention too."""
    ours = configure({"model": "prehoc"}).network_config
    own_memory = type("EntityNetwork", (EntityNetwork,), {})
    own = with_temporal_attention(PreHoc, own_memory).Config(**asdict(ours))
    for config in (ours, own):
        again = pickle.loads(pickle.dumps(config))
        assert again == config
        assert type(again) is type(config)


def test_id_of_numpys_numbers_is_that_of_plain_ones():
    numpys, plain = ({"model": "mn", "task": kind(3), "updates": kind(100)} for kind in (np.int64, int))
    assert configure(numpys).id(0, "data") == configure(plain).id(0, "data")
