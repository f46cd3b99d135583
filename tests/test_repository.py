"""What is tracked, what gets installed, and that types are right, by mypy and where they are executed."""

import ast
import re
import subprocess
import sys
import sysconfig
import tomllib
import venv
from importlib import import_module
from pathlib import Path

import pytest
import torch
import yaml
from beartype.roar import BeartypeCallHintViolation
from jaxtyping import TypeCheckError
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from symshift.config import sort_presets
from symshift.models.layers import clip_norm

ROOT = Path(__file__).parents[1]
LIB = ROOT / "lib" / "symshift"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
ABSOLUTE = re.compile(r"(^|[^\w.])(/(work|root|tmp|home|Users)/|[A-Z]:\\\\)")


def tracked() -> list[Path]:
    """The files that git knows and that are still there."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [path for name in names.split("\0") if (path := ROOT / name).is_file()]


def pip_part() -> list[str]:
    """The lines of environment.yml that conda hands to pip."""
    dependencies = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    return next(entry["pip"] for entry in dependencies if isinstance(entry, dict))


def test_no_tracked_file_is_over_5_megabytes():
    assert [str(path) for path in tracked() if path.stat().st_size > 5e6] == []


def test_no_tracked_file_holds_an_absolute_path():
    texts = {path: path.read_text(errors="replace") for path in tracked()}
    assert [str(path) for path, text in texts.items() if ABSOLUTE.search(text)] == []


def test_contributing_names_paths_that_exist():
    texts = re.findall(r"`([\w.]+/[\w./]*)`", (ROOT / "CONTRIBUTING.md").read_text())
    assert len(texts) > 20
    assert [text for text in texts if not any((folder / text).exists() for folder in (ROOT, LIB))] == []


def test_names_of_tests_are_short():
    names = [
        f"{path.relative_to(ROOT)}: {node.name}"
        for path in (ROOT / "tests").rglob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_") and len(node.name) > 60
    ]
    assert not names, "\n".join(names)


def test_tests_mirror_lib():
    tests = [path.relative_to(ROOT / "tests") for path in (ROOT / "tests").glob("*/**/test_*.py")]
    mirrored = [path for path in tests if path.parts[0] not in ("notebooks", "browser", "docs", "torture")]
    assert [str(path) for path in mirrored if not (LIB / path.parent).is_dir()] == []


def test_documents_and_makefile_know_the_same_targets():
    targets = set(re.search(r"\.PHONY: (.*)", (ROOT / "Makefile").read_text())[1].split())
    readme = (ROOT / "README.md").read_text()
    documented = set(re.findall(r"\bmake ([\w-]+)", readme + (ROOT / "CONTRIBUTING.md").read_text()))
    assert documented == targets
    assert "make test" in (ROOT / ".ci" / "run").read_text()


def test_types_have_no_error():
    """A test, and no step before the tests: so it runs beside them."""
    checked = subprocess.run([sys.executable, "-m", "mypy"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout


def test_annotations_are_executed():
    with pytest.raises(BeartypeCallHintViolation):
        sort_presets(3)
    with pytest.raises(TypeCheckError):
        clip_norm(torch.zeros(3, dtype=torch.int64))


def test_every_dependency_is_pinned_within_its_bounds():
    pins = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text().split())
    pins = {canonicalize_name(name): version for name, version in pins.items()}
    extras = PROJECT["optional-dependencies"].values()
    for requirement in map(Requirement, PROJECT["dependencies"] + [entry for extra in extras for entry in extra]):
        assert requirement.specifier.contains(pins[canonicalize_name(requirement.name)]), requirement


WITHOUT_MOST_PACKAGES = """
import sys

for name in (
    "matplotlib", "seaborn", "IPython", "ipywidgets", "jupyterlab", "latex2mathml", "nbconvert", "numba", "papermill",
    "PIL", "pooch", "scipy",
):
    sys.modules[name] = None  # importing it is an ImportError
import benchmarks.stacks, symshift.sweeps.run
from symshift import configure, train

settings = {"source": "generated", "examples": 60, "updates": 2, "evaluate_every": 2}
for model in ("gstpr-sm", "prehoc", "stransformer-nodrop"):
    assert train(configure({"model": model, **settings}), [0, 1], sys.argv[1], "cpu")
"""


def test_the_training_core_is_all_that_a_gpu_machine_needs(tmp_path):
    """Sweeps, the benchmark of stacks and training work with the first part of pyproject's list, without Numba too."""
    subprocess.run([sys.executable, "-c", WITHOUT_MOST_PACKAGES, str(tmp_path)], cwd=ROOT, check=True)


def test_benchmarks_run(monkeypatch, capsys):
    monkeypatch.syspath_prepend(str(ROOT))
    updates, _ = import_module("benchmarks.updates"), import_module("benchmarks.against")
    monkeypatch.setattr(updates, "SECONDS", 0.001)
    updates.main(["--case", "tpr T10 E15"])
    assert "fast_over_loop" in capsys.readouterr().out


def test_environment_names_nothing_that_pyproject_does_not():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    conda = [entry for entry in environment["dependencies"] if isinstance(entry, str)]
    assert conda == [f"python {PROJECT['requires-python']}", "pip"]
    assert pip_part() == ["-c constraints.txt", "-e .[tests]"]


def test_environment_installs_into_a_fresh_venv(tmp_path):
    """Install as conda does. `make env` has brought the packages here; pip must find each within its bounds."""
    venv.create(tmp_path)
    python = tmp_path / "bin" / "python"
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(tmp_path)}))
    (packages / "installed.pth").write_text(sysconfig.get_path("purelib"))
    arguments = " ".join(pip_part()).split()
    pip = [sys.executable, "-m", "pip", "--python", str(python)]
    subprocess.run([*pip, "install", "-qq", "--no-compile", "--no-build-isolation", *arguments], cwd=ROOT, check=True)
    subprocess.run([*pip, "check"], check=True)
    assert {path.name.partition("-")[0] for path in packages.glob("*.dist-info")} == {"symshift"}
    code = "import symshift; print(symshift.__file__)"
    where = subprocess.run([python, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert where.stdout.strip() == str(ROOT / "lib" / "symshift" / "__init__.py")
