"""The review form: the question and the expectation of the case, and the decision."""

from dataclasses import dataclass
from typing import Any, Literal

import streamlit as st

from monitor.api.schema import CandidateDetail, ReviewCandidate

SEVERITIES = ("low", "medium", "high", "critical")
Action = Literal["accept", "edit", "reject"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FormValues:
    """The values of the submitted form."""

    action: Action
    question: str
    expected: str
    must_include: str
    must_not: str
    category: str
    failure_category: str
    severity: str
    reason: str


def show_form(found: CandidateDetail, *, may_review: bool) -> tuple[ReviewCandidate | None, bool]:
    """Return the decision of the reviewer, None before a button is pressed; and whether the reviewer skips the
    candidate.
    """
    key = f"{found.id} {found.revision}"
    with st.form(f"review {key}", enter_to_submit=False, border=True):
        st.markdown("**The case**")
        question = st.text_area("Last user message", found.input_text, key=f"question {key}", height="content")
        expected = st.text_area("Expected answer", found.expected, key=f"expected {key}", height="content")
        left, right = st.columns(2)
        include = left.text_area(
            "Must include, one a line", "\n".join(found.must_include), key=f"include {key}", height=90
        )
        avoid = right.text_area(
            "Must not include, one a line", "\n".join(found.must_not), key=f"avoid {key}", height=90
        )
        first, second, third = st.columns(3)
        category = first.text_input("Category", found.category, key=f"category {key}")
        failure = second.text_input("Failure category", found.failure_category, key=f"failure {key}")
        severity = third.selectbox("Severity", SEVERITIES, SEVERITIES.index(found.severity), key=f"severity {key}")
        reason = st.text_input("Reason, for the review log", key=f"reason {key}", placeholder="optional")
        pressed, skipped = _show_buttons(found, key, may_review=may_review)
    if pressed is None:
        return None, skipped
    values = FormValues(
        action=pressed,
        question=question,
        expected=expected,
        must_include=include,
        must_not=avoid,
        category=category,
        failure_category=failure,
        severity=severity,
        reason=reason,
    )
    return order_of(found, values), skipped


def order_of(found: CandidateDetail, values: FormValues) -> ReviewCandidate:
    """Return the request to the daemon: only the changed fields, and none of them with a rejection."""
    given: dict[str, Any] = {
        "input": (values.question, found.input_text),
        "expected": (values.expected, found.expected),
        "must_include": (_lines(values.must_include), found.must_include),
        "must_not": (_lines(values.must_not), found.must_not),
        "category": (values.category, found.category),
        "failure_category": (values.failure_category, found.failure_category),
        "severity": (values.severity, found.severity),
    }
    changed = {name: new for name, (new, old) in given.items() if new != old}
    return ReviewCandidate.model_validate(
        {
            "action": values.action,
            "revision": found.revision,
            "reason": values.reason.strip() or None,
            **({} if values.action == "reject" else changed),
        }
    )


def _show_buttons(found: CandidateDetail, key: str, *, may_review: bool) -> tuple[Action | None, bool]:
    """Show accept, save, reject and skip, each with its keyboard shortcut."""
    (accept, reject), (save, skip) = st.columns(2), st.columns(2)
    off = not may_review
    accepted = accept.form_submit_button(
        "Save changes" if found.state == "accepted" else "Accept", type="primary", icon=":material/check:",
        shortcut="Alt+A", disabled=off, width="stretch", key=f"accept {key}",
    )  # fmt: skip
    saved = save.form_submit_button(
        "Save, decide later", icon=":material/save:", shortcut="Alt+S", disabled=off or found.state != "proposed",
        width="stretch", key=f"save {key}",
    )  # fmt: skip
    rejected = reject.form_submit_button(
        "Reject", icon=":material/close:", shortcut="Alt+X", disabled=off or found.state == "rejected",
        width="stretch", key=f"reject {key}",
    )  # fmt: skip
    skipped = skip.form_submit_button(
        "Skip", icon=":material/skip_next:", shortcut="Alt+N", width="stretch", key=f"skip {key}"
    )
    pressed: tuple[tuple[bool, Action], ...] = ((accepted, "accept"), (saved, "edit"), (rejected, "reject"))
    return next((action for was, action in pressed if was), None), skipped


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]
