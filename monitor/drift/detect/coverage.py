"""Lists the tests that did not run on a night, with the reason."""

from collections.abc import Iterator

from monitor.drift.detect.history import History
from monitor.drift.detect.reference import Reference


def not_tested(history: History, reference: Reference, *, learning: bool) -> tuple[str, ...]:
    """Return one sentence for each test that did not run."""
    return tuple(_sentences(history, reference, learning=learning))


def _sentences(history: History, reference: Reference, *, learning: bool) -> Iterator[str]:
    if learning:
        yield (
            f"drift over nights: {history.nights} of {history.baseline_nights} baseline nights are recorded; "
            "until then two runs are compared"
        )
    elif history.nights - 1 < reference.span.first_onset:
        yield (
            f"unannounced change: the nights of this version before night {reference.span.first_onset + 1} "
            "of the history are its baseline"
        )
    if reference.before is None:
        yield "announced change: these nights have one version and one judge"
    elif not reference.after_change:
        yield "the last announced change: its planned looks are over"
    if not history.labelled_before(history.nights):
        yield "failure mix: no failure has a category"
    if len(set(history.categories)) < 2:
        yield "categories: the cases have only one"
