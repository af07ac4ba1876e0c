"""What was not looked at tonight, and why."""

from collections.abc import Iterator

from monitor.drift.detect.history import History
from monitor.drift.detect.reference import Reference


def not_tested(history: History, reference: Reference, *, learning: bool) -> tuple[str, ...]:
    return tuple(_sentences(history, reference, learning=learning))


def _sentences(history: History, reference: Reference, *, learning: bool) -> Iterator[str]:
    if learning:
        yield (
            f"drift over nights: {history.nights} of {history.baseline_nights} nights are learnt from first; "
            "until then two runs are compared"
        )
    elif history.nights - 1 < reference.span.first_onset:
        yield (
            f"drift without a known change: this version's nights before night {reference.span.first_onset + 1} "
            "of the history are learnt from"
        )
    if reference.before is None:
        yield "a known change: no other version or judge was seen in these nights"
    elif not reference.after_change:
        yield "the last known change: its nights of looking are over"
    if not history.labelled_before(history.nights):
        yield "the mix of failures: no failure has a name"
    if len(set(history.categories)) < 2:
        yield "categories: the cases have one alone"
