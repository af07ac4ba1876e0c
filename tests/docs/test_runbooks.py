"""Each alerting rule has a runbook page with its defaults and its thresholds. test_names.py checks the commands."""

import pytest

from monitor.config.checks import ChecksConfig
from monitor.domain.rules import RULES
from tests.docs.markdown import ROOT, read
from tests.observability.rules import alerting_rules

FOLDER = ROOT / "docs" / "runbooks"
SECTIONS = ["Meaning", "Impact", "Decision", "Diagnosis", "Mitigation", "Silence and tune"]
OUTSIDE = sorted({rule.runbook for rule in alerting_rules()} - set(RULES))  # pages of rules of Prometheus only
rules = pytest.mark.parametrize("name", RULES)


def test_every_rule_has_a_page_and_every_page_a_rule() -> None:
    assert {path.stem for path in FOLDER.glob("*.md")} == {*RULES, *OUTSIDE, "README"}


def test_the_index_links_every_page() -> None:
    assert {f"{name}.md" for name in RULES} <= set(read(FOLDER / "README.md").links)


@rules
def test_a_page_has_every_section_and_commands(name: str) -> None:
    page = read(FOLDER / f"{name}.md")
    heads = [line.removeprefix("## ") for line in page.prose.splitlines() if line.startswith("## ")]
    assert heads == SECTIONS
    assert len(page.commands("driftd")) >= 2
    if name != "Watchdog":  # its receivers expect it without a pause
        assert page.commands("driftd")[-1].startswith(f"driftd alerts silence alertname={name}")


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_page_of_a_rule_of_prometheus_has_every_section_its_rules_and_commands(name: str) -> None:
    page = read(FOLDER / f"{name}.md")
    heads = [line.removeprefix("## ") for line in page.prose.splitlines() if line.startswith("## ")]
    assert heads == SECTIONS
    own = {(rule.name, rule.severity) for rule in alerting_rules() if rule.runbook == name}
    rows = [[cell.strip(" `") for cell in line.split("|")[1:3]] for line in page.prose.splitlines() if "| `" in line]
    assert {(rule, severity) for rule, severity in rows} == own
    assert page.commands("driftd")


@rules
def test_a_page_has_the_defaults_of_its_rule(name: str) -> None:
    rule, text = RULES[name], (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    severity = rule.severity or "of the cases, or of the effect"
    assert f"| {rule.area} | {severity} | {rule.for_s:g} s | {rule.keep_firing_for_s:g} s |" in text


@rules
def test_a_page_has_every_threshold_of_its_rule_with_its_default(name: str) -> None:
    text = " ".join((FOLDER / f"{name}.md").read_text(encoding="utf-8").split())
    for key, field in ChecksConfig.model_fields.items():
        if name in (field.description or "").split(":")[0].split(", "):
            shown = f"{field.default:g}"
            share = f"{100 * field.default:g} %"
            written = [f"`alerts.checks.{key}` ({value}" for value in (shown, share)]
            assert any(one in text for one in written), key
