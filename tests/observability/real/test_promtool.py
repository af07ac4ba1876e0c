"""promtool checks the alerting rules, and each rule fires and stays quiet as its cases say."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.observability.alert_cases import CASES, Series
from tests.observability.real.promtool import find_promtool, promtool
from tests.observability.rules import FILE, OF_LAKES, alerting_rules

SEVERITIES = {rule.name: rule.severity for rule in alerting_rules()}


def test_the_rules_are_valid() -> None:
    promtool("check", "rules", FILE, OF_LAKES)


def test_each_rule_fires_and_does_not_fire(tmp_path: Path) -> None:
    groups = [group for file in (FILE, OF_LAKES) for group in yaml.safe_load(file.read_text())["groups"]]
    rules = {rule["alert"]: rule for group in groups for rule in group["rules"]}
    promtool("test", "rules", *(written(tmp_path, rule, list(cases_of(name))) for name, rule in rules.items()))


def test_a_case_that_does_not_fire_is_found(tmp_path: Path) -> None:
    case = CASES["DriftdKafkaStalled"]
    rule = {"alert": "DriftdKafkaStalled", "expr": "driftd_kafka_stalled > 0", "labels": {"severity": "critical"}}
    wrong = one_test("DriftdKafkaStalled", case.quiet[0], case.at, case.labels)
    with pytest.raises(AssertionError, match="DriftdKafkaStalled"):
        promtool("test", "rules", written(tmp_path, rule, [wrong]))


def test_an_unknown_promtool_fails_the_test(tmp_path: Path) -> None:
    with pytest.raises(pytest.fail.Exception, match=r"PROMTOOL is .*none, which is no file; run `.ci/promtool`"):
        find_promtool({"PROMTOOL": str(tmp_path / "none")})


def cases_of(name: str) -> Iterator[dict[str, Any]]:
    case = CASES[name]
    yield one_test(name, case.firing, case.at, case.labels)
    for series in case.quiet:
        yield one_test(name, series, case.at, None)


def one_test(name: str, series: Series, at: str, labels: Mapping[str, str] | None) -> dict[str, Any]:
    """Return a test that expects one alert with `labels`, or none."""
    expected = []
    if labels is not None:
        own = {"alertname": name, "alertstate": "firing", "severity": SEVERITIES[name], **labels}
        inside = ", ".join(f'{key}="{value}"' for key, value in own.items())
        expected = [{"labels": f"ALERTS{{{inside}}}", "value": 1}]
    query = f'ALERTS{{alertname="{name}", alertstate="firing"}}'
    return {
        "interval": "1m",
        "input_series": [{"series": key, "values": values} for key, values in series.items()],
        "promql_expr_test": [{"expr": query, "eval_time": at, "exp_samples": expected}],
    }


def written(folder: Path, rule: dict[str, Any], tests: list[dict[str, Any]]) -> Path:
    """Write the tests of a rule, and the rule alone: promtool evaluates every rule of a file each minute."""
    name = rule["alert"]
    (folder / f"{name}.rules.yaml").write_text(yaml.safe_dump({"groups": [{"name": "one", "rules": [rule]}]}))
    path = folder / f"{name}.yaml"
    content = {"rule_files": [f"{name}.rules.yaml"], "evaluation_interval": "1m", "tests": tests}
    path.write_text(yaml.safe_dump(content))
    return path
