import pytest

from monitor.config.policy import to_retention_policy
from monitor.domain.policy import Keep
from monitor.errors import ConfigError
from tests.config.builders import config

DAY_S = 86_400.0


def test_the_defaults_are_what_the_document_says() -> None:
    policy = to_retention_policy(config())
    assert {part: (keep.max_age_s or 0) / DAY_S for part, keep in policy.parts.items()} == {
        "interactions": 90,
        "feedback": 90,
        "candidates": 365,
        "outcomes": 730,
        "dead_letters": 30,
        "span_content": 2,
        "idempotency": 7,
    }
    assert policy.keep("dead_letters").max_rows == 100_000
    assert (policy.check_s, policy.compact_share, policy.compact_delay_s) == (DAY_S, 0.2, 7 * DAY_S)


def test_one_limit_leaves_the_other_as_it_was() -> None:
    policy = to_retention_policy(config(retention={"interactions": {"max_rows": 1000}}))
    assert policy.keep("interactions") == Keep(max_age_s=90 * DAY_S, max_rows=1000)


def test_null_keeps_for_ever() -> None:
    policy = to_retention_policy(config(retention={"interactions": {"max_age_d": None}}))
    assert policy.keep("interactions") == Keep()


def test_a_deployment_follows_the_general_rule_in_what_it_does_not_say() -> None:
    own = {"support": {"interactions": {"max_age_d": 7}}}
    policy = to_retention_policy(config(retention={"interactions": {"max_rows": 10}, "deployments": own}))
    assert policy.keep("interactions", "support") == Keep(max_age_s=7 * DAY_S, max_rows=10)
    assert policy.keep("interactions", "shop") == Keep(max_age_s=90 * DAY_S, max_rows=10)
    assert policy.keep("feedback", "support") == Keep(max_age_s=90 * DAY_S)


@pytest.mark.parametrize(
    ("retention", "sentence"),
    [
        ({"deployments": {"suport": {}}}, "retention.deployments: deployment 'suport' is unknown; known: support"),
        ({"interactions": {"max_age": 7}}, "retention.interactions.max_age"),
        ({"interactions": {"max_age_d": 0}}, "retention.interactions.max_age_d"),
        ({"interactions": 7}, "retention.interactions"),
        ({"deployments": {"support": {"interactions": 7}}}, "retention.deployments.support.interactions"),
    ],
)
def test_what_cannot_be_meant_is_a_sentence_with_its_place(retention: object, sentence: str) -> None:
    with pytest.raises(ConfigError) as refused:
        config(retention=retention)
    assert sentence in str(refused.value)
