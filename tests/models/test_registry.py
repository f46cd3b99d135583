"""The registry: one decorator adds a model, its look and its place; what a class lacks is said in one line."""

import subprocess
import sys
from dataclasses import dataclass, field, make_dataclass
from typing import ClassVar

import pytest
import torch
from torch import nn

import symshift
from symshift.config import configure, family, sort_presets
from symshift.errors import InputError
from symshift.models import Network, registry
from symshift.models.base import Output
from symshift.models.registry import FAMILIES, NETWORKS, add_family, check_name, families, find_network, register
from symshift.paths import ROOT
from symshift.preset_files import add_preset, presets
from symshift.results.style import style
from symshift.runs.store import Store
from tests.helpers.registered import registry_restored


@dataclass(frozen=True)
class PriorConfig:
    """What a preset sets of a prior."""

    scale: float


class Prior(Network):
    """Answers what is most often right, whatever the story."""

    Config = PriorConfig

    def __init__(self, config, vocabulary, generator):
        super().__init__()
        self.config = config
        self.logits = nn.Parameter(torch.zeros(len(vocabulary.words)))

    def forward(self, batch, rng):
        logits = (self.config.scale * self.logits).expand(len(batch.answer), -1)
        return Output(logits, None, None, {})


@pytest.fixture(autouse=True)
def leave_the_registry_as_it_was():
    with registry_restored():
        yield


TRAINING = """batch: 8
updates: 40
optimizer: adam
learning_rate: 0.1
beta1: 0.9
beta2: 0.999
clip: 5.0
halve_every: 0
evaluate_every: 10
patience: 100
solved: 0.0
restart_at: 0
restart_above: 5.0
sentences: 0
"""


def test_registered_class_trains_from_a_preset_of_a_user(tmp_path, monkeypatch):
    register("prior", after="smn")(Prior)
    params = tmp_path / "params"
    params.mkdir()
    (params / "my-prior.yaml").write_text("model: my-prior\nnetwork: prior\nscale: 2\n" + TRAINING)
    monkeypatch.setenv("SYMSHIFT_PARAMS", str(params))
    assert "my-prior" in symshift.presets()
    config = configure({"model": "my-prior", "examples": 100, "source": "generated"})
    runs = symshift.train(config, [0, 1], str(tmp_path), "cpu")
    assert [Store(tmp_path).record(run)["config"]["network"] for run in runs] == ["prior", "prior"]
    reader = symshift.load(runs[0], tmp_path)
    assert reader.ask(["Mary went to the garden"], "Where is Mary?").word in reader.vocabulary.words
    assert family("my-prior") == ("prior", "my-prior")
    assert sort_presets(["my-prior", "tpr", "mn", "smn"]) == ["mn", "smn", "my-prior", "tpr"]
    assert style("my-prior")["color"] == FAMILIES["prior"].colour


def test_families_stand_in_the_order_of_the_papers():
    order = "mn smn tpr stpr gstpr stransformer entnet prehoc prehoc-weak prehoc-teacher posthoc lstm qrn"
    order += " deltanet transformer ut lexinv"
    assert families() == order.split()
    assert {registry.FAMILY_OF[name] for name in NETWORKS} <= {*families()}


def test_family_gets_a_colour_of_the_reserve_by_its_name():
    looks = []
    for _ in range(2):
        register("prior")(Prior)
        looks.append(FAMILIES["prior"])
    assert looks[0] == looks[1]
    assert (looks[0].colour, looks[0].marker) in registry.RESERVE
    for number in range(len(registry.RESERVE) + 2):  # more than there are
        add_family(f"mine{number}")
    first = [look.colour for look in FAMILIES.values()][-len(registry.RESERVE) - 2 :][: len(registry.RESERVE) - 1]
    assert len({*first, looks[0].colour}) == len(registry.RESERVE)
    assert families()[-1] == f"mine{len(registry.RESERVE) + 1}"


@pytest.mark.parametrize("after", ["mine", "theirs"], ids=["own", "each-other"])
def test_family_cannot_stand_behind_itself(after):
    """Such a family would be in no order, and so would all tables with it."""
    add_family("theirs", after="mine")
    with pytest.raises(InputError, match=f"^family 'mine' is after '{after}', which leads back to it"):
        add_family("mine", after=after)


def test_family_of_a_network_gives_it_its_look():
    register("reading", family="gstpr")(Prior)
    assert find_network("reading") is Prior
    assert registry.FAMILY_OF["reading"] == "gstpr"
    assert families().count("gstpr") == 1
    assert "reading" not in families()


class NoConfig(Network):
    """Lacks its settings."""

    def forward(self, batch, rng):
        raise NotImplementedError


@dataclass(frozen=True)
class ListConfig:
    """Has what no preset can set."""

    sizes: list[int]


class ListOfSizes(Prior):
    """Is set by a list."""

    Config = ListConfig


class PlainConfig:
    """Lacks its decorator."""

    scale: float


class NoDataclass(Prior):
    """Has settings that are no dataclass."""

    Config = PlainConfig


@dataclass(frozen=True)
class UntypedConfig:
    """Has a setting that the dataclass does not see."""

    scale: float
    shift = 3


class Untyped(Prior):
    """Has a setting without a type."""

    Config = UntypedConfig


@dataclass(frozen=True)
class DerivedConfig:
    """Has a field that no preset sets."""

    scale: float
    half: float = field(init=False, default=3)


class Derived(Prior):
    """Has a setting that no preset sets."""

    Config = DerivedConfig


@dataclass(frozen=True)
class FactoryConfig:
    """Has a default that a function makes."""

    scale: float = field(default_factory=lambda: 2.0)


class Factory(Prior):
    """Has a setting whose default a function makes."""

    Config = FactoryConfig


@dataclass(frozen=True)
class UnknownConfig:
    """Has a type that nobody knows."""

    scale: "Flaot"


class UnknownType(Prior):
    """Has a type that nobody knows."""

    Config = UnknownConfig


class NoForward(Network):
    """Lacks a forward pass."""

    Config = PriorConfig


class OtherArguments(Prior):
    """Is built otherwise."""

    def __init__(self, dim):
        super().__init__(None, None, None)


WRONG = {
    "no-network": (nn.Linear, {}, "is not derived from symshift.models.Network"),
    "no-class": (3, {}, "network 'prior': 3 is not derived from symshift.models.Network"),
    "no-config": (NoConfig, {}, "NoConfig has no dataclass `Config` of what a preset sets of it"),
    "no-dataclass": (NoDataclass, {}, "Config PlainConfig is no dataclass; put @dataclass(frozen=True) above it"),
    "no-type": (Untyped, {}, "UntypedConfig.shift has no type; `shift: Count` would be one"),
    "not-set": (Derived, {}, "DerivedConfig is not built from its fields alone (got an unexpected keyword"),
    "default-factory": (Factory, {}, "FactoryConfig.scale has a default_factory; a default such as `scale: Count = 3`"),
    "unknown-type": (UnknownType, {}, "UnknownConfig has an unknown type: name 'Flaot' is not defined"),
    "list-in-config": (ListOfSizes, {}, "ListConfig.sizes is no int, float, str or Literal"),
    "no-forward": (NoForward, {}, "NoForward has no method forward(batch, rng)"),
    "other-arguments": (OtherArguments, {}, "OtherArguments is not built from (config, vocabulary, generator)"),
    "colour": (Prior, {"colour": "blue"}, "family 'prior' has the colour 'blue'; give it as #RRGGBB"),
    "two-looks": (Prior, {"family": "mn", "marker": "o"}, "takes colour, marker and place from its family 'mn'"),
}


@pytest.mark.parametrize(("network", "options", "says"), WRONG.values(), ids=WRONG)
def test_register_says_what_is_missing(network, options, says):
    with pytest.raises(InputError) as caught:
        register("prior", **options)(network)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "prior" not in NETWORKS


def test_register_takes_a_config_with_a_class_variable():
    @dataclass(frozen=True)
    class Config:
        scale: float
        kind: ClassVar[str] = "prior"

    register("prior")(type("Constant", (Prior,), {"Config": Config}))
    add_preset({"model": "mine", "network": "prior", "base": "mn", "scale": 2})
    assert configure({"model": "mine"}).network_config == Config(2.0)


def test_config_that_refuses_its_settings_is_one_line():
    @dataclass(frozen=True)
    class Config:
        dim: int
        heads: int

        def __post_init__(self):
            if self.dim % self.heads:
                raise ValueError("dim must be a multiple of heads")

    register("prior")(type("Divided", (Prior,), {"Config": Config}))
    add_preset({"model": "mine", "network": "prior", "base": "mn", "dim": 4, "heads": 2})
    assert configure({"model": "mine"}).network_config == Config(4, 2)
    says = r"^model mine: Config refuses its settings \(ValueError: dim must be a multiple of heads\)$"
    with pytest.raises(InputError, match=says):
        configure({"model": "mine", "heads": 3})


@pytest.mark.parametrize(
    ("name", "says"),
    [
        (Prior, "register has no name for Prior; `@register('mine')` would be right"),
        (5, "register has the name 5; a text such as 'mine' would be right"),
        ("", "register has the name ''; a text such as 'mine' would be right"),
    ],
    ids=["class", "number", "empty"],
)
def test_check_name_refuses_what_is_no_name(name, says):
    with pytest.raises(InputError) as caught:
        check_name(name)
    assert str(caught.value) == says


def test_register_needs_a_name():
    with pytest.raises(InputError, match=r"^register has the name ''"):
        register("")


def test_register_refuses_a_name_that_is_taken():
    with pytest.raises(InputError, match=r"^network 'mn' is registered already, by symshift.models.memory_network"):
        register("mn")(Prior)


@pytest.mark.parametrize("options", [{"family": "gstrp"}, {"after": "gstrp"}], ids=["family", "after"])
def test_find_names_a_family_that_is_unknown(options):
    register("prior", **options)(Prior)
    with pytest.raises(InputError, match=r"with the family 'gstrp', which is unknown; did you mean 'gstpr'\?"):
        find_network("prior")


@pytest.mark.parametrize("field", ["updates", "seed", "id"])
def test_config_must_not_repeat_what_every_run_has(field, monkeypatch, tmp_path):
    config = make_dataclass("Repeating", [(field, int)], frozen=True)
    register("prior")(type("Repeats", (Prior,), {"Config": config}))
    monkeypatch.setenv("SYMSHIFT_PARAMS", str(tmp_path))
    (tmp_path / "mine.yaml").write_text("model: mine\nnetwork: prior\n" + TRAINING)
    with pytest.raises(InputError, match=f"its Config has {field!r}, which every run has; call it otherwise"):
        configure({"model": "mine"})


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A function that installs a package whose module has this source."""
    modules = []

    def install(source, module="another_package", entry_point=None):
        (tmp_path / f"{module}.py").write_text(source)
        info = tmp_path / f"{module}-1.0.dist-info"
        info.mkdir()
        name = module.replace("_", "-")
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[symshift.networks]\ntheirs = {entry_point or module}\n")
        monkeypatch.syspath_prepend(str(tmp_path))
        modules.append(module)
        assert module not in sys.modules

    yield install
    for module in modules:
        sys.modules.pop(module, None)


PACKAGE = """
from symshift import add_preset, register
from tests.helpers.registered import Bag

register("theirs")(type("Theirs", (Bag,), {"__module__": __name__}))
add_preset({"model": "theirs-small", "network": "theirs", "base": "mn", "dim": 4})
"""


def test_network_of_another_package_trains_from_its_preset(package, tmp_path):
    package(PACKAGE)
    values = {"model": "theirs-small", "examples": 50, "source": "generated", "updates": 4, "evaluate_every": 2}
    runs = symshift.train(configure(values), [0, 1], str(tmp_path), "cpu")
    assert set(Store(tmp_path).runs().network) == {"theirs"}
    assert family("theirs-small") == ("theirs", "small")
    reader = symshift.load(runs[1], tmp_path)
    assert type(reader.network).__module__ == "another_package"


def test_presets_of_another_package_are_listed(package):
    package(PACKAGE)
    assert "theirs-small" in presets()


OWN_FILE = PACKAGE.replace('"theirs', '"own')


@pytest.fixture
def own_file(tmp_path, monkeypatch):
    """A file of networks that SYMSHIFT_NETWORKS names."""
    (tmp_path / "own_networks.py").write_text(OWN_FILE)
    monkeypatch.setenv("SYMSHIFT_NETWORKS", str(tmp_path / "own_networks.py"))
    yield tmp_path / "own_networks.py"
    sys.modules.pop("own_networks", None)


def test_network_of_a_named_file_is_known_to_every_process(own_file, tmp_path):
    settings = ["--examples", "50", "--source", "generated", "updates=2", "evaluate_every=1"]
    command = [sys.executable, "-m", "symshift", "train", "own-small", *settings, "--outputs", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (run,) = Store(tmp_path).runs().itertuples()
    assert run.network == "own"
    assert "own-small" in presets()
    assert symshift.load(run.id, tmp_path).ask(["Mary went."], "Where is Mary?").word


@pytest.mark.parametrize(
    ("text", "fault"),
    [("raise KeyError(3)", r"fails \(KeyError: 3\)"), (None, "is no Python file; name the one that registers your ne")],
)
def test_named_file_that_fails_is_one_line(text, fault, own_file):
    own_file.unlink()
    if text:
        own_file.write_text(text)
    with pytest.raises(InputError, match=rf"^SYMSHIFT_NETWORKS '.*own_networks.py' {fault}"):
        presets()


def test_named_file_that_is_missing_says_where(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SYMSHIFT_NETWORKS", "own.py")
    with pytest.raises(
        InputError, match=rf"your networks \(looked for as {tmp_path}/own.py; for notebooks an absolute"
    ):
        presets()


def test_named_file_with_the_name_of_a_module_is_one_line(own_file, monkeypatch, tmp_path):
    own_file.rename(tmp_path / "torch.py")
    monkeypatch.setenv("SYMSHIFT_NETWORKS", str(tmp_path / "torch.py"))
    with pytest.raises(InputError, match=r"has the name of another module, torch; rename the file$"):
        presets()


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("import no_such_module", r"ModuleNotFoundError: No module named 'no_such_module'"),
        ("import sys\nsys.exit(3)", "SystemExit: 3"),
    ],
    ids=["import", "exit"],
)
def test_package_that_cannot_be_imported_is_named(source, fault, package):
    package(source)
    says = rf"^the networks of another_package of the package another-package cannot be loaded \({fault}\)$"
    for find in (find_network, lambda name: configure({"model": name})):
        with pytest.raises(InputError, match=says):
            find("theirs")
    assert "mn" in presets()


def test_package_that_fails_is_imported_once(package, tmp_path):
    package("""
from pathlib import Path

with (Path(__file__).parent / "imports").open("a") as file:
    file.write("imported ")
raise SystemExit
""")
    for _ in range(3):
        assert "mn" in presets()
    with pytest.raises(InputError, match=r"^the networks of another_package"):
        find_network("theirs")
    assert (tmp_path / "imports").read_text() == "imported "


def test_package_that_fails_hides_no_other(package):
    for module in ("a_broken_package", "z_broken_package"):
        package("raise SystemExit", module)
    package(PACKAGE)
    assert find_network("theirs").__module__ == "another_package"
    assert "theirs-small" in presets()
    assert configure({"model": "theirs-small"}).network == "theirs"


def test_entry_point_that_names_no_module_is_one_line(package):
    package("", entry_point="another-package")
    says = "^entry point theirs = 'another-package' of the package another-package names no module; `theirs = "
    with pytest.raises(InputError, match=says):
        find_network("theirs")
