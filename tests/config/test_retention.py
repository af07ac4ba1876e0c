import pytest

from monitor.config.policy import to_retention_policy
from monitor.domain.policy import RetentionLimit
from monitor.errors import ConfigError
from tests.config.builders import config

DAY_S = 86_400.0


def test_the_defaults_are_the_documented_ones() -> None:
    policy = to_retention_policy(config())
    assert {part: (keep.max_age_s or 0) / DAY_S for part, keep in policy.parts.items()} == {
        "interactions": 90,
        "feedback": 90,
        "candidates": 365,
        "outcomes": 730,
        "dead_letters": 30,
        "span_content": 2,
        "idempotency": 7,
        "audit": 730,
    }
    assert policy.limit("dead_letters").max_rows == 100_000
    assert (policy.check_s, policy.compact_share, policy.compact_delay_s) == (DAY_S, 0.2, 7 * DAY_S)


def test_one_limit_does_not_change_the_other() -> None:
    policy = to_retention_policy(config(retention={"interactions": {"max_rows": 1000}}))
    assert policy.limit("interactions") == RetentionLimit(max_age_s=90 * DAY_S, max_rows=1000)


def test_null_removes_a_limit() -> None:
    policy = to_retention_policy(config(retention={"interactions": {"max_age_d": None}}))
    assert policy.limit("interactions") == RetentionLimit()


def test_a_deployment_has_the_general_limits_by_default() -> None:
    own = {"support": {"interactions": {"max_age_d": 7}}}
    policy = to_retention_policy(config(retention={"interactions": {"max_rows": 10}, "deployments": own}))
    assert policy.limit("interactions", "support") == RetentionLimit(max_age_s=7 * DAY_S, max_rows=10)
    assert policy.limit("interactions", "shop") == RetentionLimit(max_age_s=90 * DAY_S, max_rows=10)
    assert policy.limit("feedback", "support") == RetentionLimit(max_age_s=90 * DAY_S)


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
def test_an_invalid_limit_is_an_error_with_its_path(retention: object, sentence: str) -> None:
    with pytest.raises(ConfigError) as refused:
        config(retention=retention)
    assert sentence in str(refused.value)
