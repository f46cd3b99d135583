"""The command line: `symshift COMMAND`, or `python -m symshift COMMAND`. A mistake is one line, and 2 the exit code."""

import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise

from symshift.errors import InputError, suggest

COMMANDS = {  # each with the module that has its `main(arguments, prog)`
    "train": ("symshift.cli.train", "train a preset on one task, one model for each seed"),
    "ask": ("symshift.cli.ask", "ask a trained model a question about a story of your own"),
    "audit": ("symshift.cli.audit", "replace the names of a test set, and see whether answers follow"),
    "report": ("symshift.reports.run", "run a notebook on a preset and a task, and keep it as a page"),
    "sweep": ("symshift.sweeps.run", "train what a file of presets, tasks and seeds lists"),
    "export": ("symshift.cli.export", "add finished runs to those that the repository publishes"),
    "verify": ("symshift.cli.verify", "check a finished run, and compute its test error again"),
    "presets": ("symshift.cli.presets", "list the presets: their papers, and what they change"),
    "show": ("symshift.cli.show", "show everything that one preset sets"),
}
LINES = "\n".join(f"  {name:8} {help}" for name, (_, help) in COMMANDS.items())
USAGE = f"""usage: symshift COMMAND [...]

{LINES}

`symshift COMMAND --help` explains one. The environment variable SYMSHIFT_PARAMS names a folder with presets of your
own, SYMSHIFT_OUTPUTS the folder that keeps runs.

example: symshift train stpr-sm --task 1 --seeds 3 updates=2000"""


def _check_options(arguments: Sequence[str]) -> None:
    """Refuse an option without a value, as of a variable of the shell that is not set: it would be the default."""
    for option, value in pairwise([*arguments, "end"]):
        if option.startswith("--") and (option.endswith("=") or not value):
            raise InputError(f"{option.rstrip('=')} is empty; give it a value, or leave it out")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Returns:
        0: done. 1: a part of it failed, and was named. 2: nothing could begin. 130: stopped by hand. 141: what it
        prints was read no further, as by `head`.
    """
    command, *rest = (sys.argv[1:] if arguments is None else arguments) or ["--help"]
    if command in ("-h", "--help"):
        print(USAGE)
        return 0
    as_python_does = warnings.formatwarning
    warnings.formatwarning = lambda message, *_: f"{message}\n"  # type: ignore[misc]  # a line, without our code
    try:
        if command not in COMMANDS:
            raise InputError(f"command {command!r} is unknown; {suggest(command, COMMANDS)}")
        _check_options(rest)
        module, _ = COMMANDS[command]
        status = int(import_module(module).main(rest, f"symshift {command}"))
        sys.stdout.flush()
        return status
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python writes what is left when it ends
        return 141
    finally:
        warnings.formatwarning = as_python_does
