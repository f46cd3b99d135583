"""`symshift export`: add finished runs to the published ones."""

from collections.abc import Sequence

from symshift.command_line import Parser
from symshift.runs.export import export
from symshift.runs.store import Store

EXAMPLE = "example: symshift export --from /mnt/cluster/outputs --weights"


def main(arguments: Sequence[str], prog: str) -> int:
    """Publish runs, and say which were added."""
    parser = Parser(
        prog, description="Add finished runs to the table, the curves and the weights in published/.", epilog=EXAMPLE
    )
    parser.add_argument("--from", dest="source", help="the folder that has the runs; by default that of --outputs")
    parser.add_argument("--outputs", help="the folder that has published/; by default $SYMSHIFT_OUTPUTS, or outputs/")
    parser.add_argument("--weights", action="store_true", help="publish weights too, so that the runs can be asked")
    options = parser.parse_args(arguments)
    store = Store(options.outputs)
    added = export(Store(options.source or options.outputs), store, options.weights)
    for run in added:
        missing = options.weights and not store.has_weights(run)
        print(f"added {run}" + (", without weights: its folder has none" if missing else ""))
    print(f"{store.published.table}: {len(store.published_ids())} runs, {len(added)} of them added")
    return 0
