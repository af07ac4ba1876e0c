"""Selection of the two runs to compare: by run, or by version with the newest complete run of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from dashboards.formatting import percent
from dashboards.set_status import SetStatus, happened_at
from dashboards.times import moment
from monitor.api.schema import FindingItem, RunItem

BY_RUN, BY_VERSION = "runs", "versions"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPair:
    """The run before and the run after. The order does not depend on their times."""

    baseline: RunItem
    candidate: RunItem


def pick_runs(
    status: SetStatus, linked: RunPair | None, default: RunPair | None, visit: str, *, by: str | None = None
) -> tuple[RunPair, str] | None:
    """Return the chosen runs, and whether runs or versions were chosen. `linked` are those of a link; None when there
    are fewer than two complete runs.
    """
    first = linked or default
    known = [run for run in status.runs if run.state in {"complete", "partial"}]
    runs = _newest_first([*known, *((first.baseline, first.candidate) if first is not None else ())])
    if len(runs) < 2:
        return None
    first = first or RunPair(baseline=runs[1], candidate=runs[0])
    versions = newest_of_versions(runs)
    key = f"{status.deployment}/{status.set_name}{visit}"
    mode, left, right = st.columns([1, 3, 3], vertical_alignment="bottom")
    modes = [BY_RUN, BY_VERSION] if len(versions) > 1 else [BY_RUN]
    chosen = mode.segmented_control(
        "Compare", modes, default=by if by in modes else BY_RUN, key=f"by of {key}", required=True
    )
    if chosen == BY_VERSION:
        choices, labels = versions, {version: _version_label(run) for version, run in versions.items()}
        ids = first.baseline.version or "", first.candidate.version or ""
    else:
        choices, labels = {run.id: run for run in runs}, {run.id: run_label(run) for run in runs}
        ids = first.baseline.id, first.candidate.id
    with left:
        baseline = _select("Before", choices, labels, ids[0], key=f"before of {chosen} {key}")
    with right:
        candidate = _select("After", choices, labels, ids[1], key=f"after of {chosen} {key}")
    if chosen != BY_VERSION:
        return RunPair(baseline=baseline, candidate=candidate), BY_RUN
    pair = comparable(runs, baseline, candidate)
    same = pair.baseline.revision == pair.candidate.revision
    cases = "the same revision of the set" if same else "different revisions of the set; common cases are compared"
    st.caption(
        "All comparable nights are pooled. Single cases are those of the newest comparable runs, "
        f"{moment(happened_at(pair.baseline))} and "
        f"{moment(happened_at(pair.candidate))}: {cases}."
    )
    return pair, BY_VERSION


def comparable(runs: Sequence[RunItem], baseline: RunItem, candidate: RunItem) -> RunPair:
    """Return the newest runs of both versions with one revision of the set, else the newest of each. `runs` are newest
    first.
    """
    before = [run for run in runs if run.version == baseline.version]
    for after in (run for run in runs if run.version == candidate.version):
        same = next((run for run in before if run.revision == after.revision and run.id != after.id), None)
        if same is not None:
            return RunPair(baseline=same, candidate=after)
    return RunPair(baseline=baseline, candidate=candidate)


def newest_of_versions(runs: Sequence[RunItem]) -> dict[str, RunItem]:
    """For each version the newest of its runs; `runs` are newest first, and so are the versions."""
    newest: dict[str, RunItem] = {}
    for run in runs:
        if run.version is not None:
            newest.setdefault(run.version, run)
    return newest


def compared_by(finding: FindingItem | None) -> tuple[str, str] | None:
    """The runs that a finding compared."""
    if finding is None or finding.comparison is None or finding.baseline_run is None or finding.candidate_run is None:
        return None
    return finding.baseline_run, finding.candidate_run


def run_label(run: RunItem) -> str:
    return f"{moment(happened_at(run))} · {_version_label(run)} · {percent(run.pass_rate)} · {run.trigger}"


def _version_label(run: RunItem) -> str:
    return run.version_label or run.version or "unknown version"


def _newest_first(runs: Sequence[RunItem]) -> list[RunItem]:
    return sorted({run.id: run for run in runs}.values(), key=lambda run: (happened_at(run), run.id), reverse=True)


def _select(label: str, choices: Mapping[str, RunItem], labels: Mapping[str, str], first: str, *, key: str) -> RunItem:
    ids = list(choices)
    place = ids.index(first) if first in ids else 0
    chosen = st.selectbox(label, ids, index=place, format_func=lambda id_: labels[id_], key=key)
    return choices[chosen]
