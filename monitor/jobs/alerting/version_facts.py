"""What a message reports about the two versions of an alert and about the replay: differences and cost."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from monitor.alerting.version_diff import (
    Difference,
    digest_of,
    identity_differences,
    parameter_differences,
    prompt_lines,
)
from monitor.domain.alert import Alert
from monitor.domain.finding import Finding, SetReplay
from monitor.store.engine.database import Tx
from monitor.store.runs import runs, spending
from monitor.store.traffic import prompts, versions
from replay.run.budget import Spent


def differences_of(tx: Tx, alert: Alert, finding: Finding) -> list[Difference]:
    """Return the model, the prompt and the parameters that differ between the versions of the alert.

    The parameters are those that the manifests of the baseline run and of the judged run record.
    """
    before, after = (_identity(tx, alert.deployment, each) for each in (alert.from_version, alert.to_version))
    named = identity_differences(before, after) if before and after else []
    named = [_with_digests(tx, alert, each) if each.what == "prompt" else each for each in named]
    if not isinstance(finding.subject, SetReplay):
        return named
    then, now = _target(tx, finding.baseline_run), _target(tx, finding.subject.candidate_run)
    return named + (parameter_differences(then, now) if then and now else [])


def cost_of(tx: Tx, finding: Finding) -> Spent | None:
    """Return what the judged run has spent; None for production traffic, for a source, and without a request."""
    if not isinstance(finding.subject, SetReplay):
        return None
    spent = spending.of_run(tx, finding.subject.candidate_run)
    return spent if spent.requests else None


def _with_digests(tx: Tx, alert: Alert, difference: Difference) -> Difference:
    before, after = (prompts.of_version(tx, alert.deployment, each) for each in (alert.from_version, alert.to_version))
    if before is None or after is None:
        return difference
    return replace(difference, lines=tuple(prompt_lines(before, after, digest_of)))


def _identity(tx: Tx, deployment: str, version: str | None) -> Mapping[str, str]:
    found = None if version is None else versions.get(tx, deployment, version)
    return {} if found is None else found.identity


def _target(tx: Tx, run_id: str | None) -> Mapping[str, Any]:
    """Return the target section of the manifest of a run; empty without a manifest."""
    run = None if run_id is None else runs.get(tx, run_id)
    return ((run.manifest or {}).get("target") or {}) if run is not None else {}
