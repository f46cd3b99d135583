"""Publish finished runs."""

from collections.abc import Collection, Sequence

from symshift.errors import InputError, errors_at
from symshift.paths import write_atomically
from symshift.runs.file_errors import translate_file_errors
from symshift.runs.lock import published_lock
from symshift.runs.published import curves_bytes, flat_record, table_bytes
from symshift.runs.record import id_fault
from symshift.runs.store import Store


def export(source: Store, target: Store, weights: bool = False) -> list[str]:
    """Add the finished runs of one store to the published runs of another, or of the same.

    A run that is published already stays as it is; with `weights`, one that is published without them is replaced by
    the run that has them, since a record belongs to its weights. Two exports to one store take turns, since each writes
    the whole table again.

    Args:
        source: The store whose folders of runs are read. A damaged run is named on stderr and left out.
        target: The store whose published runs grow.
        weights: Whether to publish weights too, where there are any.

    Returns:
        The ids of the runs that were added or replaced, sorted.

    Raises:
        InputError: There is no finished run, the record of one was changed, one cannot be published, or the files
            cannot be written.
    """
    finished = sorted({*source.own_ids()} & {*source.runs().id})
    if not finished:
        raise InputError(f"{str(source.outputs)!r} has no finished run; name the folder that holds runs/")
    with_weights = {run for run in finished if weights and source.has_weights(run)}
    with published_lock(target.outputs):
        return _add(source, target, finished, with_weights)


def _add(source: Store, target: Store, finished: Sequence[str], with_weights: Collection[str]) -> list[str]:
    """Write those of the finished runs that are to be added, and return their ids; the target is locked."""
    published = target.published
    rows, curves = _published(target)
    added = [
        run for run in finished if run not in rows or (run in with_weights and not published.weights_path(run).exists())
    ]
    for run in added:
        _check_files(source, run, run in with_weights)
    try:
        for run in added:
            with errors_at(f"run {run}"):
                rows[run] = flat_record(source.record(run))
            curves[run] = source.own.curve(run)
        if added:
            write_atomically(published.curves, curves_bytes(curves))
            write_atomically(published.table, table_bytes(rows, published.columns()))
        # last: a run that was to have weights and has none, as after a kill, is published again by the next export
        for run in added:
            if run in with_weights:
                write_atomically(published.weights_path(run), source.own.weights_path(run).read_bytes())
    except OSError as error:
        raise InputError(f"{str(published.table.parent)!r} cannot be written ({error.strerror})") from None
    return added


def _check_files(source: Store, run: str, weights: bool) -> None:
    """Read what is about to be copied, so that a damaged or changed file is named."""
    if fault := id_fault(run, source.record(run)):
        raise InputError(f"run {run}: {source.own.record_name}: {fault}; {source.own.remedy.action}")
    source.curve(run)
    if weights:
        source.weights(run)


def _published(target: Store) -> tuple[dict[str, dict[str, str]], dict[str, bytes]]:
    """Return the cells and the learning curve of each published run."""
    published = target.published
    rows, curves = {}, {}
    for run in target.published_ids():
        with translate_file_errors(f"run {run}: published/", published.remedy):
            rows[run] = flat_record(published.record(run))
            curves[run] = published.curve(run)
    return rows, curves
