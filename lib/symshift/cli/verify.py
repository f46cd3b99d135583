"""`symshift verify`: check a finished run before its numbers are cited, or after its files came from somebody."""

from collections.abc import Sequence

from symshift.command_line import Parser
from symshift.training.own_stories import own_stories
from symshift.training.verify import verify

EXAMPLE = "example: symshift verify 992c97982212"
WORDS = {True: "ok", False: "WRONG", None: "not checked"}


def main(arguments: Sequence[str], prog: str) -> int:
    """Print a line for each check.

    Returns:
        0: nothing is wrong. 1: something is.
    """
    parser = Parser(
        prog,
        description="Check the record, id, curve, weights and stories of runs, and compute their test errors again.",
        epilog=EXAMPLE,
    )
    parser.add_argument("runs", nargs="+", metavar="RUN", help="the id of a run, which `symshift train` prints")
    parser.add_argument("--outputs", help="the folder that keeps the runs; by default $SYMSHIFT_OUTPUTS, or outputs/")
    parser.add_argument("--stories", metavar="FILE", help="the file or folder of your own that they were trained on")
    options = parser.parse_args(arguments)
    stories = own_stories(options.stories).data if options.stories else None
    wrong = False
    for run in options.runs:
        for finding in verify(run, options.outputs, stories):
            print(f"{run} {finding.name}: {WORDS[finding.good]}, {finding.text}")
            wrong |= finding.good is False
    return int(wrong)
