from dataclasses import replace

import pytest

from monitor.domain.policy import refusal
from tests.api.policies import policy

POLICY = policy()
DEPLOYMENT, SET = POLICY.deployments["bot"], POLICY.sets["private"]


@pytest.mark.parametrize(
    ("labels", "cleared", "missing"),
    [
        ((), (), None),
        (("public",), (), None),
        (("pii",), (), "pii"),
        (("pii",), ("pii",), None),
        (("pii", "confidential"), ("pii",), "confidential"),
        (("pii", "confidential"), (), "pii and confidential"),
        (("public", "pii"), ("confidential",), "pii"),
        (("confidential",), ("pii",), "confidential"),
    ],
)
def test_every_label_but_public_needs_its_own_clearance(
    labels: tuple[str, ...], cleared: tuple[str, ...], missing: str | None
) -> None:
    said = refusal(replace(DEPLOYMENT, cleared_for=cleared), replace(SET, labels=labels))
    if missing is None:
        assert said is None
        return
    assert said is not None
    assert (
        f"eval set 'private' is labelled {missing}, for which target 'gpt' of deployment 'bot' is not cleared" in said
    )
    assert "targets.gpt.cleared_for" in said
