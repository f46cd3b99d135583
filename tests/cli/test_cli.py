"""The command line as a whole: help, examples, exit codes, and one line for each mistake."""

import subprocess
import sys
import tomllib
from importlib import import_module

import pytest

from symshift.cli import COMMANDS, main
from symshift.data.babi.official import find_official
from symshift.paths import ROOT


def test_help_names_every_command(capsys):
    assert main([]) == main(["--help"]) == 0
    said = capsys.readouterr().out
    assert all(f"  {name} " in said and help in said for name, (_, help) in COMMANDS.items())
    assert "example: symshift train" in said


@pytest.mark.parametrize("command", COMMANDS)
def test_command_has_help_with_an_example(command, capsys):
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert said.startswith(f"usage: symshift {command}")
    assert f"example: symshift {command}" in said


def test_unknown_command_is_one_line(capsys):
    assert main(["trian"]) == 2
    assert capsys.readouterr().err == "command 'trian' is unknown; did you mean 'train'?\n"


def test_stopping_by_hand_is_one_line(monkeypatch, capsys):
    def stop(arguments, prog):
        raise KeyboardInterrupt

    monkeypatch.setattr(import_module("symshift.cli.show"), "main", stop)
    assert main(["show", "mn"]) == 130
    assert capsys.readouterr().err == "stopped\n"


def test_script_and_module_are_one_command():
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    module, _, name = scripts["symshift"].partition(":")
    assert getattr(import_module(module), name) is main
    done = subprocess.run([sys.executable, "-m", "symshift", "show", "strp"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "model 'strp' is unknown; did you mean 'stpr'?\n"


def test_sweep_and_report_end_as_they_do_alone(tmp_path, capsys):
    assert main(["sweep", str(tmp_path / "none.yaml")]) == 2
    assert capsys.readouterr().err.endswith("none.yaml: cannot be read (No such file or directory)\n")
    dry_run = ["sweep", str(ROOT / "params" / "sweeps" / "table1-1k.yaml"), "--dry-run"]
    assert main(dry_run) == int(not find_official())  # 1: stories cannot be read
    assert "cells in" in capsys.readouterr().out
    assert main(["report", "--model", "strp"]) == 2
    assert capsys.readouterr().err == "model 'strp' is unknown; did you mean 'stpr'?\n"


def test_output_that_nobody_reads_ends_without_a_traceback():
    """`symshift presets | head -1` ends as other commands of a shell do."""
    command = [sys.executable, "-m", "symshift", "presets"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 141


def test_warning_of_input_is_one_line(tmp_path):
    """A doubt about a file is said without the code that says it."""
    file = tmp_path / "own.csv"
    file.write_text("story,question,answer\n" + "Mary is here.,Where is Mary?,in the kitchen\n" * 20)
    words = ["audit", "--write-questions", str(tmp_path / "q"), "--stories", str(file)]
    command = [sys.executable, "-m", "symshift", *words]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stderr.splitlines()
    assert "own.csv, line 2" in said[0]
    assert not any("stories_of_rows" in line or ".py" in line for line in said)
