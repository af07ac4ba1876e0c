"""Renders a run card as Markdown or as one self-contained HTML page: conditions, scores and failures."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from monitor.api.schema import BrittlenessItem, RunCard, RunItem
from monitor.cli.terminal.output import percent, text
from monitor.printable import printable

Row = Sequence[object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A table with a title; `empty` is the text for no rows."""

    title: str
    head: Sequence[str]
    rows: Sequence[Row]
    empty: str = ""


def markdown(card: RunCard) -> str:
    """Return the run card in GitHub-flavored Markdown."""
    tables = (f"\n## {section.title}\n\n{_markdown_table(section)}\n" for section in _sections(card))
    return f"# {printable(_title(card))}\n\n{printable(_lead(card))}\n{''.join(tables)}"


def html(card: RunCard) -> str:
    """Return one HTML page without scripts, external fonts or images."""
    body = "".join(
        f"<section><h2>{escape(section.title)}</h2>{_html_table(section)}</section>" for section in _sections(card)
    )
    title = escape(_title(card))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_STYLE}</style></head>'
        f"<body><main><h1>{title}</h1><p>{escape(_lead(card))}</p>{body}</main></body></html>\n"
    )


def _title(card: RunCard) -> str:
    return f"Run card: {card.run.set_name} against {card.run.deployment}"


def _lead(card: RunCard) -> str:
    run = card.run
    passed = "No scored case" if run.pass_rate is None else f"{run.passed} of {run.scored} scored cases passed"
    share = "" if run.pass_rate is None else f", {percent(run.pass_rate)} ({_interval(card.low, card.high)})"
    version = run.version_label or run.version or "an unknown version"
    measures = "" if card.measures is None else f" The set measures: {card.measures}"
    return f"{passed}{share}. {run.id}, {run.state}, answered by {version}.{_import(run)}{measures}"


def _import(run: RunItem) -> str:
    """Return which tool made an imported run, and what it did not record; nothing for a replay."""
    extra = (run.manifest or {}).get("extra") or {}
    origin, unknown = extra.get("imported_from") or {}, extra.get("unknown_conditions") or []
    if run.trigger != "imported":
        return ""
    tool = " ".join(str(origin[name]) for name in ("tool", "version") if origin.get(name))
    missing = f" Not recorded by the tool: {', '.join(unknown)}." if unknown else ""
    return f" Imported from {tool or 'another tool'}.{missing}"


def _sections(card: RunCard) -> Iterator[Section]:
    run = card.run
    yield Section(
        title="Conclusions",
        head=("finding", "verdict", "severity", "reason"),
        rows=[(f.id, f.verdict, f.severity, f.reason) for f in card.findings],
        empty="This run has no verdict yet.",
    )
    if run.parts:
        yield Section(
            title="By part",
            head=("part", "cases", "scored", "passed", "pass rate"),
            rows=[(p.part, p.cases, p.scored, p.passed, _rate(p.passed, p.scored)) for p in run.parts],
        )
    if card.metrics:
        yield Section(
            title="By metric",
            head=("metric", "role", "scored", "mean", "95 % interval"),
            rows=[
                (m.metric, "decides" if m.decides else "watched", m.scored, percent(m.mean), _interval(m.low, m.high))
                for m in card.metrics
            ],
        )
    yield Section(
        title="By category and severity",
        head=("category", "severity", "cases", "scored", "passed", "pass rate", "95 % interval"),
        rows=[
            (s.category, s.severity, s.cases, s.scored, s.passed, _rate(s.passed, s.scored), _interval(s.low, s.high))
            for s in card.strata
        ],
        empty="The cases of this run are no longer stored.",
    )
    if card.pass_at:
        yield Section(
            title="Several answers to a case",
            head=("at least one passes of", "cases", "pass@k", "95 % interval"),
            rows=[(f"{p.k}", p.cases, percent(p.value), _interval(p.low, p.high)) for p in card.pass_at],
        )
    if card.brittleness is not None:
        yield _brittleness(card.brittleness)
    yield Section(
        title="Failures",
        head=("failure category", "category", "severity", "cases"),
        rows=[(f.failure_category, f.category, f.severity, f.cases) for f in card.failures],
        empty="No scored case failed.",
    )
    yield Section(title="The run", head=("field", "value"), rows=list(_flat(_facts(card))))
    if run.manifest is not None:
        yield Section(title="Manifest", head=("condition", "value"), rows=list(_flat(run.manifest)))


def _brittleness(found: BrittlenessItem) -> Section:
    mixed = f"{percent(found.mixed.rate)} ({_interval(found.mixed.low, found.mixed.high)})"
    worst = [(w.cluster, w.category, f"{w.passing} of {w.cases}", percent(w.highest - w.lowest)) for w in found.worst]
    return Section(
        title=f"Brittleness: {mixed} of {found.clusters} clusters have mixed verdicts",
        head=("worst cluster", "category", "variants that pass", "range of pass rates"),
        rows=[*worst, ("mean of all clusters", None, None, percent(found.mean_range))],
    )


def _facts(card: RunCard) -> dict[str, Any]:
    """Return the conditions of the run that have no table of their own."""
    return card.run.model_dump(exclude={"manifest", "categories", "failure_categories", "parts"})


def _flat(document: Mapping[str, Any], path: str = "") -> Iterator[Row]:
    """Return every leaf of the document by its dotted path; empty values are marked."""
    for name, value in document.items():
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{path}{name}.")
        else:
            yield f"{path}{name}", "none" if value in ({}, [], None) else value


def _rate(passed: int, scored: int) -> str | None:
    return percent(passed / scored) if scored else None


def _interval(low: float | None, high: float | None) -> str | None:
    return None if low is None or high is None else f"{100 * low:.1f} to {100 * high:.1f} %"


def _markdown_table(section: Section) -> str:
    if not section.rows:
        return section.empty
    lines = [section.head, ["---"] * len(section.head), *section.rows]
    return "\n".join("| " + " | ".join(_cell(value) for value in line) + " |" for line in lines)


def _cell(value: object) -> str:
    return text(value).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


def _html_table(section: Section) -> str:
    if not section.rows:
        return f"<p>{escape(section.empty)}</p>"
    head = "".join(f"<th>{escape(name)}</th>" for name in section.head)
    rows = "".join(f"<tr>{''.join(_html_cell(value) for value in row)}</tr>" for row in section.rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _html_cell(value: object) -> str:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"<td{' class=number' if number else ''}>{escape(text(value))}</td>"


_STYLE = """
:root{color-scheme:light dark}
body{font:15px/1.5 system-ui,sans-serif;margin:0;background:Canvas;color:CanvasText}
main{max-width:70rem;margin:2rem auto;padding:0 1.5rem}
h1{font-size:1.6rem;margin:0 0 .5rem}h2{font-size:1.1rem;margin:2rem 0 .5rem}
section{overflow-x:auto}
table{border-collapse:collapse;font-size:.92rem;width:100%}
th,td{text-align:left;padding:.3rem .8rem .3rem 0;border-bottom:1px solid color-mix(in srgb,CanvasText 18%,Canvas);
vertical-align:top;overflow-wrap:break-word}
th{white-space:nowrap;font-weight:600;color:color-mix(in srgb,CanvasText 65%,Canvas)}
td.number{font-variant-numeric:tabular-nums}
"""
