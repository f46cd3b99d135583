"""`symshift train`: one preset on one task."""

import shlex
from collections.abc import Sequence

from symshift.command_line import Parser
from symshift.config import configure
from symshift.runs.store import Store
from symshift.training import train
from symshift.training.arguments import check_seed_count, read_settings
from symshift.training.own_stories import check_effect, choose_stories

OPTIONS = ("stories", "split", "seeds", "device", "outputs")  # which are no settings
EXAMPLE = "example: symshift train stpr-sm --task 1 --seeds 3 updates=2000 dropout=0.3"


def main(arguments: Sequence[str], prog: str) -> int:
    """Train, and print the errors of each run in percent."""
    parser = Parser(prog, description="Train a preset on one task of bAbI.", epilog=EXAMPLE)
    parser.add_argument("model", help="a preset; `symshift presets` lists them")
    parser.add_argument("settings", nargs="*", default=[], metavar="NAME=VALUE", help="what differs from the preset")
    parser.add_argument("--task", type=int, help="1 to 20; by default the preset's, or 1")
    parser.add_argument("--examples", type=int, help="training questions; by default the preset's, or 1000")
    parser.add_argument("--source", help="auto, official or generated stories; by default the preset's, or auto")
    parser.add_argument("--stories", metavar="FILE", help="questions of your own, in place of a task's")
    parser.add_argument("--split", metavar="NAME", help="a split of params/splits, in place of a task")
    parser.add_argument("--seeds", type=int, default=1, help="how many models, from seeds 0, 1, 2, ...; by default 1")
    parser.add_argument("--device", default="auto", help="auto, cpu or cuda; by default auto")
    parser.add_argument("--outputs", help="the folder that keeps the runs; by default $SYMSHIFT_OUTPUTS, or outputs/")
    options = parser.parse_intermixed_args(arguments)  # settings may stand behind options
    check_seed_count(options.seeds)
    chosen = {name: getattr(options, name) for name in ("model", "task", "examples", "source")}
    named = [name for name, value in chosen.items() if value is not None]
    check_effect({"stories": options.stories, "split": options.split}, named, "--")
    config = configure(read_settings(options.settings, [*chosen, *OPTIONS], prog) | chosen)
    chosen_stories = choose_stories(config, options.stories, options.split)
    data = chosen_stories.data
    for note in chosen_stories.notes:
        print(note)
    if config.source == "auto" and data.source == "generated":
        print("the official bAbI text was not found: stories are generated, and no error here compares with a paper's")
    store, seeds, described = Store(options.outputs), range(options.seeds), data.describe(config)
    stored = {run for seed in seeds if store.has(run := described.id(seed, data.key))}
    runs = train(config, list(seeds), options.outputs, options.device, data)
    for seed, run in enumerate(runs):
        errors = ", ".join(f"{test} {error:.1f} %" for test, error in store.record(run)["error"].items())
        print(f"run {run}, seed {seed}: error {errors}" + (", from the store" if run in stored else ""))
    print(_how_to_ask(store, runs, data.test[0].question, options.outputs))
    return 0


def _how_to_ask(store: Store, runs: Sequence[str], question: str, outputs: str | None) -> str:
    """Say how to ask the first run that has weights, or how to come by weights."""
    with_weights = next(filter(store.has_weights, runs), None)
    if with_weights is None:
        return "none of these runs has weights here, only its record; to ask one, train it with other --outputs"
    command = ["symshift", "ask", with_weights, "story.txt", question]
    return f"ask one: {shlex.join([*command, '--outputs', outputs] if outputs else command)}"
