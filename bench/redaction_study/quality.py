"""Compute recall (private values that are redacted) and precision (hits that are private)."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from bench.redaction_study.sample import Labelled, Span

Find = Callable[[str], Sequence[Span]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """The result for one kind. A labelled value counts as redacted when none of its bytes stays. A hit is correct when
    it is labelled.
    """

    kind: str
    labelled: int
    taken_out: int
    found: int
    right: int

    @property
    def recall(self) -> float | None:
        return self.taken_out / self.labelled if self.labelled else None

    @property
    def precision(self) -> float | None:
        return self.right / self.found if self.found else None


def qualities(sample: Iterable[Labelled], find: Find) -> list[Quality]:
    """Return one result for each labelled or found kind, by name. A hit must have the kind of the label."""
    counts: dict[str, Counter[str]] = {
        "labelled": Counter(),
        "taken_out": Counter(),
        "found": Counter(),
        "right": Counter(),
    }
    for item in sample:
        found = find(item.text)
        for label in item.spans:
            counts["labelled"][label.kind] += 1
            counts["taken_out"][label.kind] += _is_covered(label, found)
        for span in found:
            counts["found"][span.kind] += 1
            counts["right"][span.kind] += any(_touch(span, label) and label.kind == span.kind for label in item.spans)
    kinds = sorted(counts["labelled"] | counts["found"])
    return [Quality(kind=kind, **{name: counter[kind] for name, counter in counts.items()}) for kind in kinds]


def wrong(sample: Iterable[Labelled], find: Find) -> list[str]:
    """Return one line for each missed value and each false hit."""
    lines: list[str] = []
    for item in sample:
        data, found = item.text.encode(), find(item.text)
        missed = [label for label in item.spans if not _is_covered(label, found)]
        extra = [s for s in found if not any(_touch(s, label) and label.kind == s.kind for label in item.spans)]
        lines += [f"stays   {s.kind}: {data[s.start : s.end].decode()!r} in {item.text!r}" for s in missed]
        lines += [f"is none {s.kind}: {data[s.start : s.end].decode()!r} in {item.text!r}" for s in extra]
    return lines


def _is_covered(label: Span, found: Sequence[Span]) -> bool:
    covered = {byte for span in found for byte in range(span.start, span.end)}
    return covered.issuperset(range(label.start, label.end))


def _touch(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end
