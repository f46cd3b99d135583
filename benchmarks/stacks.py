"""`python -m benchmarks.stacks`: milliseconds a model-update on a GPU, by the number of models trained as one.

Stories are random words, 10 sentences and 19 symbols each; the batch is 32. An update is forward, loss, backward, clip
and Adam, replayed as a CUDA graph. Writes outputs/gpu.csv, which 11_performance draws.
"""

from pathlib import Path

from symshift import configure
from symshift.command_line import Parser
from symshift.paths import write_atomically
from symshift.runs.provenance import provenance
from symshift.training.device import resolve_device
from symshift.training.profiling import GPU_TIMES, Size, scan

MODELS = ["mn", "tpr", "stpr-sm", "gstpr-sm", "entnet", "stransformer-nodrop"]
STACKS = [1, 10, 100]


def main() -> None:
    """Measure and write the table."""
    parser = Parser("python -m benchmarks.stacks", description=__doc__.partition("\n")[0])
    parser.add_argument("--device", default="cuda", help="cuda, or cpu to try the command")
    parser.add_argument("--seconds", type=float, default=0.3, help="how long each point is measured at least")
    parser.add_argument("--file", type=Path, default=GPU_TIMES, help="the table to write")
    options = parser.parse_args()
    device = resolve_device(options.device)
    configs = [configure({"model": model}) for model in MODELS]
    table = scan(configs, [Size(stack=stack) for stack in STACKS], options.seconds, device)
    where = provenance(device)
    table = table.assign(device=where["device"], torch=where["torch"], revision=str(where["revision"])[:8])
    text = table[["model", "stack", "ms", "device", "torch", "revision"]].to_csv(index=False)
    write_atomically(options.file, text.encode())
    print(text)


if __name__ == "__main__":
    main()
