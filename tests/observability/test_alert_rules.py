"""Every alerting rule for Prometheus uses metrics that the daemon has, and links a runbook that exists."""

import re

import pytest

from tests.docs.markdown import read
from tests.observability.alert_cases import CASES
from tests.observability.rules import BASE, FILE, ROOT, AlertingRule, alerting_rules, undeclared

RULES = alerting_rules()
RUNBOOKS = ROOT / "docs" / "runbooks"
LOOP_NAME = re.compile(r'^    name = "([\w-]+)"$', re.MULTILINE)
each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)


def test_the_names_of_the_rules_are_unique_and_start_with_the_product() -> None:
    names = [rule.name for rule in RULES]
    assert len(names) == len(set(names))
    assert [name for name in names if not re.fullmatch(r"Driftd([A-Z][a-z]+)+", name)] == []


@each_rule
def test_a_rule_uses_metrics_and_labels_that_the_daemon_has(rule: AlertingRule) -> None:
    assert undeclared(rule.expr) == []


def test_an_unknown_metric_or_label_is_found() -> None:
    assert undeclared("rate(driftd_made_up_total[5m])") == ["driftd_made_up_total"]
    assert undeclared('driftd_intake_rows{source="a"}') == ["driftd_intake_rows{source}"]
    assert undeclared("sum by (job, set) (driftd_intake_rows)") == ["by (set)"]


@each_rule
def test_a_rule_has_a_severity_a_summary_and_a_description_in_sentences(rule: AlertingRule) -> None:
    assert rule.severity in {"info", "warning", "critical"}
    assert rule.annotations.keys() == {"summary", "description", "runbook_url"}
    assert all(rule.annotations[name].endswith(".") for name in ("summary", "description"))


@each_rule
def test_the_runbook_of_a_rule_exists(rule: AlertingRule) -> None:
    assert rule.annotations["runbook_url"].startswith(BASE)
    assert rule.annotations["runbook_url"].endswith(".md")
    page = RUNBOOKS / f"{rule.runbook}.md"
    assert page.exists()
    assert page.name in read(RUNBOOKS / "README.md").links


@each_rule
def test_the_index_of_the_runbooks_lists_the_rule(rule: AlertingRule) -> None:
    text = (RUNBOOKS / "README.md").read_text(encoding="utf-8")
    row = next(line for line in text.splitlines() if line.startswith(f"| `{rule.name}` |"))
    assert [cell.strip() for cell in row.strip("|").split("|")] == [
        f"`{rule.name}`",
        rule.severity,
        rule.annotations["summary"],
        f"[{rule.runbook}]({rule.runbook}.md)",
    ]


@each_rule
def test_the_labels_in_the_description_are_kept_by_the_expression(rule: AlertingRule) -> None:
    named = set(re.findall(r"\$labels\.(\w+)", " ".join(rule.annotations.values())))
    kept = {label for found in re.findall(r"by \(([^)]*)\)", rule.expr) for label in found.split(", ")}
    assert named <= kept


def test_every_rule_has_a_case_that_fires_and_one_that_does_not() -> None:
    assert set(CASES) == {rule.name for rule in RULES}
    assert all(case.firing and case.quiet for case in CASES.values())


def test_the_loops_with_long_steps_exist_and_both_rules_about_loops_name_the_same() -> None:
    text = FILE.read_text(encoding="utf-8")
    short, long = re.findall(r'driftd_loop_overdue_seconds\{loop(?:!~|=~)"([^"]+)"\}', text)
    assert short == long
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "monitor" / "jobs").rglob("*.py"))
    names = set(LOOP_NAME.findall(code)) | {"replay", "replay-2"}
    assert [one for one in long.split("|") if not any(re.fullmatch(one, name) for name in names)] == []
