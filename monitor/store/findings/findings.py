"""Findings. Alerting processes each of them once."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from monitor.domain.evalset import SetKind
from monitor.domain.finding import Finding, ProductionSeries, ReadSource, SetReplay, Verdict
from monitor.domain.production import Series
from monitor.domain.run import Run
from monitor.store.engine.append import row_of
from monitor.store.engine.pagination import Page, PageQuery, fetch_page
from monitor.store.engine.schema import TABLES, table_of
from monitor.store.engine.transaction import Row, Tx
from monitor.store.findings.comparison_json import comparison_from_json, comparison_to_json
from monitor.store.findings.decision_json import (
    acceptance_from_json,
    acceptance_to_json,
    decided_from_json,
    decided_to_json,
    gate_from_json,
    gate_to_json,
    parts_from_json,
    parts_to_json,
)
from monitor.store.findings.finding_json import evidence_from_json, evidence_to_json
from monitor.store.findings.production_json import production_from_json, production_to_json


def insert(tx: Tx, finding: Finding) -> None:
    comparison = None if finding.comparison is None else comparison_to_json(finding.comparison)
    evidence = None if finding.evidence is None else evidence_to_json(finding.evidence)
    production = None if finding.production is None else production_to_json(finding.production)
    decided = None if finding.decided is None else decided_to_json(finding.decided)
    acceptance = None if finding.acceptance is None else acceptance_to_json(finding.acceptance)
    subject = finding.subject
    about = {"source": subject.source} if isinstance(subject, ReadSource) else row_of(subject)
    row = row_of(finding) | about
    row |= {"comparison": comparison, "evidence": evidence, "production": production, "alerted": False}
    row |= {"decided": decided, "acceptance": acceptance}
    row |= {"severity_gate": None if finding.severity_gate is None else gate_to_json(finding.severity_gate)}
    row |= {"parts": parts_to_json(finding.parts) if finding.parts else None}
    tx.insert("finding", table_of(TABLES["finding"], [row]))


def get(tx: Tx, finding_id: str) -> Finding | None:
    row = tx.one("finding_by_id", id=finding_id)
    return to_finding(row) if row else None


def newest_of_series(tx: Tx, deployment: str, series: Series) -> Finding | None:
    """Return the newest finding of a production series."""
    row = tx.one("newest_finding_of_series", deployment=deployment, series=series.value)
    return to_finding(row) if row else None


ConditionKey = tuple[str, str, str]  # rule, deployment, source


def newest_of_conditions(tx: Tx) -> dict[ConditionKey, Finding]:
    """Return the newest finding of each rule, deployment and source."""
    found = map(to_finding, tx.query("newest_findings_of_conditions"))
    return {(one.rule or "", one.deployment, one.subject.name): one for one in found}


def page(tx: Tx, q: PageQuery, metric: str | None = None) -> Page[Finding]:
    """Return findings, the newest first; those about a watched metric of this name, or all."""
    return fetch_page(tx, "page_findings", q, to_finding, at="at", metric=metric)


def of_subject(tx: Tx, about: Finding, *, until: datetime | None, limit: int) -> list[Finding]:
    """Return the newest findings with the subject, the signal and the metric of `about`, the oldest first."""
    subject = about.subject
    rows = tx.query(
        "findings_of_subject",
        deployment=about.deployment,
        signal=about.signal,
        set_name=subject.set_name if isinstance(subject, SetReplay) else None,
        series=subject.series.value if isinstance(subject, ProductionSeries) else None,
        source=subject.source if isinstance(subject, ReadSource) else None,
        metric=about.metric,
        until=until,
        limit=limit,
    )
    return [to_finding(row) for row in reversed(rows)]


def newest_of_sets(tx: Tx, deployment: str) -> list[Finding]:
    """Return the newest finding about the deciding verdict of each eval set of the deployment."""
    return [to_finding(row) for row in tx.query("newest_findings_of_sets", deployment=deployment)]


def newest_of_metrics(tx: Tx, deployment: str, set_name: str) -> dict[str, Finding]:
    """Return the newest finding of each watched metric of the set that has one."""
    rows = tx.query("newest_findings_of_metrics", deployment=deployment, set_name=set_name)
    return {row["metric"]: to_finding(row) for row in rows}


def first_held_back(tx: Tx, run: Run, metric: str | None = None) -> Finding | None:
    """Return the finding that began the regression of the nights before the run; None if the last of them is no
    regression, or could open an alert.
    """
    place = {"deployment": run.deployment, "set_name": run.set_name, "at": run.finished_at, "run_id": run.id}
    row = tx.one("first_held_back_finding", **place, metric=metric)
    return to_finding(row) if row else None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunVerdict:
    """The newest verdict of a run."""

    verdict: Verdict
    reason: str


def verdicts_of_runs(tx: Tx, run_ids: Sequence[str]) -> dict[str, RunVerdict]:
    """Return the newest verdict of each run. A run without a verdict has no entry."""
    rows = tx.query("verdicts_of_runs", run_ids=list(run_ids))
    return {row["run_id"]: RunVerdict(verdict=Verdict(row["verdict"]), reason=row["reason"]) for row in rows}


def unalerted(tx: Tx) -> list[Finding]:
    """Return the findings that alerting has not processed, the oldest first."""
    return [to_finding(row) for row in tx.query("unalerted_findings")]


def mark_alerted(tx: Tx, ids: Sequence[str]) -> None:
    tx.execute("mark_findings_alerted", ids=list(ids))


def to_finding(row: Row) -> Finding:
    fields = {name: value for name, value in row.items() if name != "alerted"}
    replayed = {name: fields.pop(name) for name in SetReplay.__slots__}
    series, day, source = fields.pop("series"), fields.pop("day"), fields.pop("source")
    comparison, evidence, production = row["comparison"], row["evidence"], row["production"]
    decided, acceptance, gate = row["decided"], row["acceptance"], row["severity_gate"]
    return Finding(
        **fields
        | {
            "subject": _subject(replayed, series, day, source),
            "verdict": Verdict(row["verdict"]),
            "comparison": None if comparison is None else comparison_from_json(comparison),
            "evidence": None if evidence is None else evidence_from_json(evidence),
            "production": None if production is None else production_from_json(production),
            "decided": None if decided is None else decided_from_json(decided),
            "acceptance": None if acceptance is None else acceptance_from_json(acceptance),
            "severity_gate": None if gate is None else gate_from_json(gate),
            "parts": () if row["parts"] is None else parts_from_json(row["parts"]),
        }
    )


def _subject(
    replayed: Row, series: str | None, day: date, source: str | None
) -> SetReplay | ProductionSeries | ReadSource:
    if source is not None:
        return ReadSource(source=source)
    if series is not None:
        return ProductionSeries(series=Series(series), day=day)
    return SetReplay(**replayed | {"set_kind": SetKind(replayed["set_kind"])})
