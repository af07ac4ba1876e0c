"""The folder that `driftd demo` writes: the database after a week of nights and a change of the model."""

import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from monitor.cli.demo.settings import DEPLOYMENT, FROZEN
from monitor.cli.demo.stage import raise_stage
from monitor.cli.demo.story import SETTLE_S, Stage, listed, play

TURNS: Final = (("Is 9 prime?", "Yes."), ("No, that is wrong, 9 is 3*3.", "You are right."))


def write_demo(folder: Path) -> Path:
    """Play the story of the demo and what it leaves out, copy its folder to `folder`, and return the path of its
    configuration there.
    """
    with ExitStack() as teardown:
        stage, extras = raise_stage(teardown, data=None, seed=1, stay=False)
        play(stage, lambda _: None)
        _add(stage)
        stage.app.stop()
        shutil.copytree(extras.config_path.parent, folder)
    return folder / extras.config_path.name


def _add(stage: Stage) -> None:
    """Add rows of the tables that the story leaves empty."""
    now = stage.clock.now()
    _post(stage, "interactions", list(_conversations(now)))
    for value, expected in ((-1, "no"), (1, None)):  # the second one revises the first one
        signals = [_signal(n, value, expected, now) for n in range(20)]
        _post(stage, "feedback", [each | ({} if expected else {"expected": None}) for each in signals])
    stage.api.post("/api/v1/interactions", json=[{"id": "broken", "deployment": DEPLOYMENT, "started_at": "never"}])
    stage.app.settle(SETTLE_S)
    [alert, *_] = listed(stage, "alerts")
    run = next(each for each in listed(stage, "runs") if each["set_name"] == FROZEN and each["state"] == "complete")
    _post(stage, f"alerts/{alert['id']}/acknowledge", {"note": "known"})
    _post(stage, f"alerts/{alert['id']}/verdict", {"verdict": "true", "note": "a change of the model"})
    _post(
        stage,
        "silences",
        {
            "matchers": ["alertname=SetStale"],
            "comment": "later",
            "ends_at": (now + timedelta(days=30)).isoformat(),
        },
    )
    _post(stage, "pins", {"run_id": run["id"], "reason": "the level of the first night"})
    _post(stage, "tokens", {"name": "a reader", "roles": ["read"], "deployments": [DEPLOYMENT]})
    _post(stage, "schedules/nightly/pause", {"reason": "a holiday"})
    _post(stage, "compactions", {"erase_user": "user-of-conversation-0"})
    stage.app.settle(SETTLE_S)


def _conversations(now: datetime) -> Iterator[dict[str, Any]]:
    """Yield the calls of conversations in which the user corrects the answer."""
    for n in range(12):
        said: list[dict[str, str]] = []
        for turn, (question, answer) in enumerate(
            (("Is 9 prime?", "Yes."), ("No, that is wrong, 9 is 3*3.", "Right."))
        ):
            said = [*said, {"role": "user", "content": question}]
            yield {
                "id": f"conversation-{n}-{turn}",
                "deployment": DEPLOYMENT,
                "started_at": (now - timedelta(minutes=30 - 2 * n - turn)).isoformat(),
                "conversation_id": f"conversation-{n}",
                "user_id": f"user-of-conversation-{n % 3}",
                "request": {"model": "gpt-4", "messages": said},
                "response": {"model": "gpt-4-0613", "messages": [{"role": "assistant", "content": answer}]},
            }
            said = [*said, {"role": "assistant", "content": answer}]


def _signal(n: int, value: int, expected: str | None, now: datetime) -> dict[str, Any]:
    """Return a signal, every second one about a call that is not known."""
    call = f"conversation-{n % 12}-1" if n % 2 else f"unknown-{n}"
    signal = {"id": f"signal-{n}", "deployment": DEPLOYMENT, "interaction_id": call, "at": now.isoformat()}
    return signal | {"kind": "thumb", "value": value, "expected": expected}


def _post(stage: Stage, what: str, body: Any) -> None:
    response = stage.api.post(f"/api/v1/{what}", json=body)
    assert response.is_success, f"{what}: {response.text}"
