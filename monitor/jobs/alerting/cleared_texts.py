"""Adds texts to a notification for a receiver that is cleared for them. They are read when the notification is sent, so
the outbox has no texts, and a text that was erased is not sent.
"""

import json
from collections.abc import Mapping
from typing import Any

from monitor.alerting.version_diff import prompt_lines
from monitor.domain.evalset import Revision
from monitor.domain.policy import Policy, may_receive
from monitor.store.engine.database import Tx
from monitor.store.runs import runs
from monitor.store.sets import revisions as evalsets
from monitor.store.sets.sealed_sets import case_context
from monitor.store.traffic import prompts
from replay.errors import ReplayError
from replay.evalsets.case_codec import case_from_store

_MOST_CHARS = 200  # of the question of a case in a message


def with_cleared_texts(tx: Tx, payload: Mapping[str, Any], receiver: str, policy: Policy) -> Mapping[str, Any]:
    """Return the payload with the questions of the worst cases and the changed lines of the prompt.

    Both are absent unless `receivers.NAME.cleared_for` covers them. Texts of a sealed set are never added; if the set
    is sealed, the lines of the prompt are not added either.
    """
    cleared_for = policy.alerts.cleared_for.get(receiver, ())
    if not cleared_for:
        return payload
    revision = None if payload.get("set") is None else _revision(tx, payload)
    if payload.get("set") is not None and (revision is None or revision.sealed):
        return payload
    found = dict(payload)
    if revision is not None and may_receive(_labels(policy, revision.name), cleared_for):
        found["comparison"] = _with_questions(tx, payload.get("comparison"), "worst_cases", revision)
        found["severity_gate"] = _with_questions(tx, payload.get("severity_gate"), "cases", revision)
    if may_receive((), cleared_for):
        found["diff"] = [_with_lines(tx, each, payload) for each in payload.get("diff", ())]
    return found


def _labels(policy: Policy, set_name: str) -> tuple[str, ...]:
    section = policy.sets.get(set_name)
    return () if section is None else section.labels


def _revision(tx: Tx, payload: Mapping[str, Any]) -> Revision | None:
    run = runs.get(tx, payload["finding"].get("candidate_run") or "")
    return None if run is None else evalsets.get(tx, run.set_name, run.revision)


def _with_questions(tx: Tx, part: Mapping[str, Any] | None, key: str, revision: Revision) -> Mapping[str, Any] | None:
    """Return the part of the payload with the questions of the cases that it lists under `key`."""
    if part is None:
        return None
    return {**part, key: [{**case, "text": _question(tx, revision, case["case_id"])} for case in part[key]]}


def _question(tx: Tx, revision: Revision, case_id: str) -> str | None:
    """Return the last message of the case on one line; None if the case was erased."""
    row = evalsets.case(tx, revision.name, revision.revision, case_id)
    if row is None:
        return None
    try:
        case = case_from_store(json.loads(row.content), case_context(row.set_name, row.case_id))
    except (ValueError, ReplayError):
        return None
    text = " ".join(case.input[-1].content.split())
    return text if len(text) <= _MOST_CHARS else f"{text[: _MOST_CHARS - 1]}…"


def _with_lines(tx: Tx, difference: Mapping[str, Any], payload: Mapping[str, Any]) -> Mapping[str, Any]:
    if difference["what"] != "prompt" or payload["from_version"] is None or payload["to_version"] is None:
        return difference
    before, after = (
        prompts.of_version(tx, payload["deployment"], payload[side]["id"]) for side in ("from_version", "to_version")
    )
    if before is None or after is None:
        return difference
    return {**difference, "lines": prompt_lines(before, after)}
