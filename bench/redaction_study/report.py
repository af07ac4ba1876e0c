"""Markdown tables of docs/redaction.md."""

from collections.abc import Sequence

from bench.drift_study.markdown import table
from bench.redaction_study.measurement import Program
from bench.redaction_study.quality import Quality

GOAL_US = 8.0


def report(programs: Sequence[Program]) -> str:
    tables = [_kinds(programs[0])]
    tables += [_beside(programs), _speed(programs)]
    return "".join(tables)


def _kinds(ours: Program) -> str:
    head = ("kind", "labelled", "redacted", "recall", "found", "correct", "precision")
    rows = [
        (q.kind, str(q.labelled), str(q.taken_out), _share(q.recall), str(q.found), str(q.right), _share(q.precision))
        for q in ours.quality
    ]
    return table("Results for the sample", head, rows)


def _beside(programs: Sequence[Program]) -> str:
    kinds = [q.kind for q in programs[0].quality]
    rows = [(kind, *(_both(_of(program, kind)) for program in programs)) for kind in kinds]
    return table("Comparison: recall / precision", ("kind", *(p.name for p in programs)), rows)


def _speed(programs: Sequence[Program]) -> str:
    rows = [(name, *(f"{program.us[name]:.1f}" for program in programs)) for name in programs[0].us]
    return table("Microseconds for 2 KB of text", ("text", *(p.name for p in programs)), rows)


def _of(program: Program, kind: str) -> Quality | None:
    return next((q for q in program.quality if q.kind == kind), None)


def _both(quality: Quality | None) -> str:
    return "–" if quality is None else f"{_share(quality.recall)} / {_share(quality.precision)}"


def _share(share: float | None) -> str:
    return "–" if share is None else f"{share:.2f}"
