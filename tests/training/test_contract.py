"""`symshift.check`: one row a property, for a preset, a network or a class; and training refuses a wrong network."""

from dataclasses import dataclass

import pytest
import torch

import symshift
from symshift.constraints import Count
from symshift.errors import InputError
from symshift.models.base import Output
from symshift.training.contract import PROPERTIES
from tests.helpers.registered import Bag, registry_restored


@pytest.fixture(autouse=True)
def restored():
    with registry_restored():
        yield


class OnHost(Bag):
    def __init__(self, config, vocabulary, generator):
        super().__init__(config, vocabulary, generator)
        self.bias = torch.randn(config.dim, generator=generator)

    def forward(self, batch, rng):
        return Output((self.hidden(batch, rng) + self.bias) @ self.output.mT, None, None, {})


def test_check_of_a_preset_of_ours():
    table = symshift.check("smn")
    assert list(table.columns) == ["property", "holds", "seen"]
    assert len(table) == len(PROPERTIES) + 1
    assert table.holds.all(), table[~table.holds].to_string()


def test_check_reports_what_a_network_lacks():
    symshift.register("bag")(OnHost)
    table = symshift.check(OnHost, dim=4).set_index("property")
    lacks = {
        "same bits alone and in an ensemble",
        "saved and loaded it answers the same",
        "no value is read on the host",
        "symbol-shift equivariant",
    }
    assert set(table[~table.holds].index) == lacks, table.to_string()
    assert table.seen["symbol-shift equivariant"] == "no word that was never seen gets any probability"


def test_check_names_what_it_needs():
    with pytest.raises(InputError, match="is not registered; put @register"):
        symshift.check(Bag)
    symshift.register("bag")(Bag)
    with pytest.raises(InputError, match="network 'bag' has no preset that sets dim; name them, as"):
        symshift.check("bag")
    with pytest.raises(InputError, match=r"network 'bag' has no setting 'dmi'; did you mean 'dim'\?"):
        symshift.check("bag", dmi=3)
    with pytest.raises(InputError, match="dim is 0; it must be at least 1"):
        symshift.check("bag", dim=0)
    with pytest.raises(InputError, match=r"network 'bga' is unknown; did you mean 'bag'\?"):
        symshift.check("bga")


@dataclass(frozen=True)
class StrictConfig:
    dim: Count
    hops: Count = 3

    def __post_init__(self):
        if self.dim < self.hops:
            raise ValueError("dim is below hops")


class Strict(Bag):
    Config = StrictConfig


def test_check_takes_the_defaults_and_the_refusal_of_a_config(tmp_path, monkeypatch):
    """The file of another preset may be faulty meanwhile."""
    (tmp_path / "faulty.yaml").write_text("model: faulty\n")
    monkeypatch.setenv("SYMSHIFT_PARAMS", str(tmp_path))
    symshift.register("strict")(Strict)
    table = symshift.check(Strict, dim=4).set_index("property")
    assert table.holds["it can be trained"]
    with pytest.raises(
        InputError, match=r"^network 'strict': StrictConfig refuses its settings \(ValueError: dim is b"
    ):
        symshift.check(Strict, dim=2)


class NoOutput(Bag):
    def forward(self, batch, rng):
        return self.hidden(batch, rng)


def test_train_refuses_a_wrong_network_and_leaves_no_record(tmp_path):
    symshift.register("bag")(NoOutput)
    preset = symshift.add_preset({"model": "my-bag", "base": "mn", "network": "bag"})
    config = symshift.configure({"model": preset, "examples": 50, "source": "generated"})
    with pytest.raises(InputError, match=r"^network 'bag': NoOutput.forward returns a Tensor; an Output of"):
        symshift.train(config, [0], str(tmp_path), "cpu")
    assert not list(tmp_path.glob("runs/*"))
