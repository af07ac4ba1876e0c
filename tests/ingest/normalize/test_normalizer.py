from collections.abc import Mapping

import pytest

from monitor.domain.interaction import Interaction, Origin
from monitor.ingest.normalize.deployments import DeploymentRules
from monitor.ingest.normalize.normalizer import Normalizer
from monitor.ingest.normalize.replay_echo import EchoFilter
from monitor.ingest.redact.redactor import Redactor
from monitor.ingest.redact.rules import Rules, RulesByDeployment
from replay.targets.prompt import prompt_hash
from tests.ingest.build import alone, interaction, user
from tests.ingest.pipeline import NOTHING_REDACTED, no_run, normalizer, nothing_sealed

RULES = DeploymentRules(
    by_service={"support-bot": "support", "support-bot-eu": "support"},
    category_attributes={"support": "app.topic"},
    default_deployment="fallback",
)


@pytest.mark.parametrize(
    ("own", "resource", "deployment"),
    [
        ({"driftd.deployment": "named"}, {"driftd.deployment": "other", "service.name": "support-bot"}, "named"),
        ({}, {"driftd.deployment": "other", "service.name": "support-bot"}, "other"),
        ({}, {"service.name": "support-bot-eu"}, "support"),
        ({}, {"service.name": "billing"}, "billing"),
        ({}, {"service.name": ""}, "fallback"),
        ({"driftd.deployment": 5}, {}, "fallback"),
    ],
)
def test_a_span_finds_its_deployment(
    own: Mapping[str, object], resource: Mapping[str, object], deployment: str
) -> None:
    assert RULES.of_span(own, resource) == deployment


def test_without_a_default_the_deployment_is_unknown() -> None:
    assert DeploymentRules().of_span({}, {}) == DeploymentRules().default == "unknown"


def test_the_category_comes_from_the_attribute_of_the_deployment() -> None:
    both = {"app.topic": "refund", "driftd.category": "billing"}
    step = normalizer(rules=RULES)
    assert alone(step, interaction(deployment="support", attributes=both)).category == "refund"
    assert alone(step, interaction(deployment="other", attributes=both)).category == "billing"
    assert alone(step, interaction(deployment="other")).category is None
    assert alone(step, interaction(category="told", attributes=both)).category == "told"


def test_the_identity_sees_the_hash_of_the_prompt() -> None:
    received: list[tuple[str, str | None]] = []

    def identify(deployment: str, item: Interaction) -> str | None:
        received.append((deployment, item.prompt_hash))
        return "digest"

    echo = EchoFilter(known_run=no_run, sealed=nothing_sealed)
    step = Normalizer(rules=RULES, identify=identify, echo=echo, redactor=NOTHING_REDACTED)
    assert alone(step, interaction(system_prompt="Be kind.")).identity == "digest"
    assert alone(step, interaction(prompt_hash="told")).prompt_hash == "told"
    assert received == [("support", prompt_hash("Be kind.")), ("support", "told")]


def test_an_echo_keeps_what_served_it_and_loses_every_text() -> None:
    step = normalizer(known_run=lambda _trace: "run-1")
    found = alone(step, interaction(system_prompt="Be kind.", trace_id="a" * 32, response_model="gpt-4-0314"))
    assert (found.origin, found.identity) == (Origin.REPLAY, "gpt-4-0314")
    assert (found.prompt_hash, found.system_prompt) == (prompt_hash("Be kind."), None)


def test_the_date_in_a_model_name_is_not_a_phone_number() -> None:
    redactor = Redactor(RulesByDeployment(default=Rules()), b"salt")
    kept = alone(redactor, interaction(response_model="gpt-4o 202-456-1414", system_prompt=None))
    assert kept.response_model == "gpt-4o 202-456-1414"
    result = alone(redactor, interaction(system_prompt="Call 202-456-1414."))
    assert "1414" not in str(result.system_prompt)


def test_a_sealed_question_and_the_prompt_are_recognized_before_redaction() -> None:
    question, prompt = "Where does anna@example.org live?", "You help bert@example.org."
    step = Normalizer(
        rules=RULES,
        identify=lambda _deployment, item: item.prompt_hash,
        echo=EchoFilter(known_run=no_run, sealed=lambda text: text == question),
        redactor=Redactor(RulesByDeployment(), b"of this test"),
    )
    sealed = alone(step, interaction(input_messages=(user(question),)))
    assert (sealed.origin, sealed.input_messages) == (Origin.SEALED_MATCH, ())
    stored = alone(step, interaction(system_prompt=prompt))
    assert stored.identity == stored.prompt_hash == prompt_hash(prompt)
    assert "bert@" not in str(stored.system_prompt)
