"""Presets as files: a folder of one's own, bases, and one line for each mistake."""

from pathlib import Path

import pytest

from symshift.config import configure, family, presets, sort_presets
from symshift.errors import InputError
from symshift.preset_files import add_preset, copy_mapping, read
from tests.helpers.registered import registry_restored


@pytest.fixture
def write(tmp_path, monkeypatch):
    """A function that writes presets into the user's folder."""
    monkeypatch.setenv("SYMSHIFT_PARAMS", str(tmp_path))

    def write(**texts: str) -> Path:
        for name, text in texts.items():
            (tmp_path / f"{name}.yaml").write_text(text)
        return tmp_path

    return write


def test_preset_of_a_user_is_found_and_goes_back_to_its_base(write):
    write(mine="# As stpr, but small\n# Paper: none\nbase: stpr-hidden\nmodel: mine\ndim: 7\n")
    assert "mine" in presets()
    changed = configure({"model": "mine"}).flat()
    assert changed == configure({"model": "stpr-hidden"}).flat() | {"model": "mine", "dim": 7}
    assert (read("mine").about, read("mine").paper, read("mine").base) == ("As stpr, but small", "none", "stpr-hidden")
    assert family("mine") == ("stpr", "mine")
    assert sort_presets(["mn", "mine", "gstpr", "stpr"]) == ["mn", "stpr", "mine", "gstpr"]


def test_preset_is_read_again_when_its_file_changed(write):
    folder = write(mine="base: mn\nmodel: mine\nhops: 2\n")
    assert configure({"model": "mine"}).network_config.hops == 2
    write(mine="base: mn\nmodel: mine\nhops: 17\n")
    assert configure({"model": "mine"}).network_config.hops == 17
    (folder / "mine.yaml").unlink()
    with pytest.raises(InputError, match="model 'mine' is unknown"):
        configure({"model": "mine"})


def test_base_drops_what_another_network_does_not_have():
    assert "slots" not in configure({"model": "entnet-tied"}).flat()


def test_papermill_may_inject_the_base_that_a_preset_has():
    assert configure({"model": "tpr-w", "base": "tpr"}).flat() == configure({"model": "tpr-w"}).flat()
    with pytest.raises(InputError, match="base is 'mn', but the preset tpr-w fixes it"):
        configure({"model": "tpr-w", "base": "mn"})


MISTAKES = {
    "no-mapping": ("- 3", "mine.yaml: a preset is a mapping with `model: mine` and a `network:` or a `base:`"),
    "another-name": ("model: tpr\nbase: tpr", "mine.yaml: a preset is a mapping with `model: mine`"),
    "neither-base-nor-network": ("model: mine", "mine.yaml: a preset is a mapping"),
    "network-of-another-type": ("model: mine\nnetwork: [tpr]", "mine.yaml: a preset is a mapping"),
    "not-yaml": ("model: [", "mine.yaml, line 1: is not YAML"),
    "unknown-base": ("model: mine\nbase: strp", "mine.yaml: base 'strp' is unknown; did you mean 'stpr'?"),
    "its-own-base": ("model: mine\nbase: mine", "mine.yaml: base 'mine' has this preset as a base itself"),
    "circle": ("model: mine\nbase: other", "other.yaml: base 'mine' has this preset as a base itself"),
    "unknown-network": ("model: mine\nnetwork: trp", "mine.yaml: network 'trp' is unknown; did you mean 'tpr'?"),
    "unknown-name": ("model: mine\nbase: tpr\nentitty: 3", "mine.yaml: parameter 'entitty' is unknown; did you mean"),
    "name-of-another-network": ("model: mine\nbase: tpr\nslots: 3", "mine.yaml: parameter 'slots' is unknown; it has"),
    "incomplete": ("model: mine\nnetwork: lstm\ndim: 3", "the preset mine does not set hidden, dropout"),
    "wrong-value": ("model: mine\nbase: tpr\nentity: many", "mine.yaml: entity is 'many', a str; it wants a whole"),
    "wrong-value-of-every-run": ("model: mine\nbase: tpr\nupdates:", "mine.yaml: updates is None, a NoneType"),
    "wrong-value-of-its-base": ("model: mine\nbase: wrong", "mine.yaml, by its base wrong: entity is 'few', a str"),
}


@pytest.mark.parametrize(("text", "says"), MISTAKES.values(), ids=MISTAKES)
def test_mistake_in_a_preset_is_one_line(text, says, write):
    write(mine=text, other="model: other\nbase: mine", wrong="model: wrong\nbase: tpr\nentity: few")
    with pytest.raises(InputError) as caught:
        configure({"model": "mine"})
    assert str(caught.value).startswith(says)
    assert "\n" not in str(caught.value)


def test_preset_that_ends_in_yml_is_named(tmp_path, monkeypatch):
    (tmp_path / "mine.yml").write_text("base: stpr\nmodel: mine\n")
    monkeypatch.setenv("SYMSHIFT_PARAMS", str(tmp_path))
    with pytest.raises(InputError, match=r"^model 'mine' is unknown; mine.yml is a preset once it ends in .yaml; did"):
        configure({"model": "mine"})


def test_user_folder_that_is_missing_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("SYMSHIFT_PARAMS", str(tmp_path / "none"))
    with pytest.raises(InputError, match=r"^SYMSHIFT_PARAMS '.*none' is no folder; name the one that holds"):
        configure({"model": "mn"})


def test_user_folder_that_is_missing_says_where(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SYMSHIFT_PARAMS", "none")
    with pytest.raises(InputError, match=rf"your presets \(looked for as {tmp_path}/none; for notebooks an absolute"):
        presets()


def test_user_folder_of_no_user_is_named(monkeypatch):
    monkeypatch.setenv("SYMSHIFT_PARAMS", "~no-such-user/presets")
    with pytest.raises(InputError, match=r"^SYMSHIFT_PARAMS '~no-such-user/presets' is no folder; name the one"):
        presets()


def test_preset_that_is_a_dangling_link_is_named(write):
    folder = write()
    (folder / "mine.yaml").symlink_to(folder / "none")
    with pytest.raises(InputError, match=r"mine.yaml: cannot be read \(No such file or directory\)$"):
        configure({"model": "mine"})
    (folder / "stpr.yaml").symlink_to(folder / "none")
    with pytest.raises(InputError, match=r"stpr.yaml: the workbook has a preset 'stpr' already"):
        presets()


def test_preset_may_begin_with_a_byte_order_mark(write):
    write(mine="\ufeff# As stpr, but small\nbase: stpr\nmodel: mine\n")
    assert read("mine").about == "As stpr, but small"


def test_override_is_not_said_to_be_of_the_file(write):
    write(mine="base: mn\nmodel: mine\nhops: 2\n")
    with pytest.raises(InputError, match=r"^hops is 'two', a str; it wants a whole number such as 3$"):
        configure({"model": "mine", "hops": "two"})


def test_preset_of_the_workbook_cannot_be_shadowed(write):
    write(stpr="base: gstpr\nmodel: stpr\n")
    with pytest.raises(InputError, match=r"stpr.yaml: the workbook has a preset 'stpr' already"):
        presets()


def test_add_preset_needs_no_file():
    with registry_restored():
        assert add_preset({"model": "mine", "base": "mn", "hops": 2}, about="Two hops") == "mine"
        assert configure({"model": "mine"}).flat() == configure({"model": "mn"}).flat() | {"model": "mine", "hops": 2}
        assert (read("mine").about, read("mine").paper, family("mine")) == ("Two hops", "ours", ("mn", "mine"))
        assert "mine" in presets()
        add_preset({"model": "mine", "base": "mn", "hpos": 2})
        with pytest.raises(InputError, match=r"^preset mine: parameter 'hpos' is unknown; did you mean 'hops'\?"):
            configure({"model": "mine"})
    assert "mine" not in presets()


def test_add_preset_keeps_none_without_a_base():
    for base in ("mine", "nm"):
        with pytest.raises(InputError, match=f"^preset mine: base '{base}' is unknown; "):
            add_preset({"model": "mine", "base": base})
    assert "mine" not in presets()


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ({"base": "mn"}, "model is None; the name of the preset is right"),
        ({"model": "mn", "base": "smn"}, "preset 'mn' has a file already, mn.yaml; choose another name"),
        ({"model": "mine"}, "preset mine: a preset is a mapping with `model: mine` and a `network:` or a `base:`"),
    ],
)
def test_add_preset_refuses_in_one_line(values, line):
    with pytest.raises(InputError) as caught:
        add_preset(values)
    assert str(caught.value) == line


@pytest.mark.parametrize("values", [None, "lstm", [("model", "mine")]], ids=["none", "name", "pairs"])
def test_copy_mapping_refuses_what_is_none(values):
    with pytest.raises(InputError, match=r"^add_preset has .*; a mapping such as {'model': 'mine', .*} would be"):
        copy_mapping(values)


@pytest.mark.parametrize("setting", ["task: 25", "examples: 3", "source: offical"])
def test_stories_that_a_preset_cannot_name_name_its_file(setting, tmp_path, monkeypatch):
    (tmp_path / "mine.yaml").write_text(f"base: mn\nmodel: mine\n{setting}\n")
    monkeypatch.setenv("SYMSHIFT_PARAMS", str(tmp_path))
    name = setting.partition(":")[0]
    with pytest.raises(InputError, match=f"^mine.yaml: {name} is "):
        configure({"model": "mine"})
    with pytest.raises(InputError, match=f"^{name} is "):
        configure({"model": "mine", name: "x" if name == "source" else 0})


@pytest.mark.parametrize("name", ["123", "no"])
def test_a_name_that_yaml_reads_otherwise_wants_quotes(name, tmp_path, monkeypatch):
    (tmp_path / f"{name}.yaml").write_text(f"base: stpr\nmodel: {name}\n")
    monkeypatch.setenv("SYMSHIFT_PARAMS", str(tmp_path))
    with pytest.raises(InputError, match=f"^{name}.yaml: a preset is a mapping with `model: '{name}'` and"):
        read(name)
    (tmp_path / f"{name}.yaml").write_text(f"base: stpr\nmodel: '{name}'\n# in quotes\n")
    assert read(name).base == "stpr"
