"""The version changes during a run: answers before and after the change are never judged as one version."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from monitor.servers import HttpListener, Servers
from monitor.store.engine.pagination import PageQuery
from monitor.store.runs import outcomes
from replay.evalsets.sealing import Sealer, load_key
from tests.app.house import FROZEN, House, daemon

CASES = 120
OLD, NEW = "gpt-4-0314", "gpt-4-0613"


@dataclass(slots=True)
class Switching:
    """A chat completions endpoint that changes its model or backend after a number of answers."""

    url: str = ""
    after: int = 10**9
    models: tuple[str, str] = (OLD, OLD)
    backends: tuple[str, str] = ("fp_1", "fp_1")
    answered: int = 0

    async def complete(self, request: Request) -> JSONResponse:
        await request.json()
        late = self.answered >= self.after
        self.answered += 1
        message = {"role": "assistant", "content": "[No]" if late else "[Yes]"}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        served = {"model": self.models[late], "system_fingerprint": self.backends[late]}
        return JSONResponse({"id": f"r-{self.answered}", "choices": [choice], **served})

    def switch(self, after: int, **change: Any) -> None:
        """From now on, answer with the first half of `change` for this many answers, then with the second."""
        self.after = self.answered + after
        for name, halves in change.items():
            setattr(self, name, halves)


@contextmanager
def switching(folder: Path, min_cases: int = 20) -> Iterator[tuple[House, Switching]]:
    model = Switching()
    app = Starlette(routes=[Route("/v1/chat/completions", model.complete, methods=["POST"])])
    servers = Servers([HttpListener(key="model", app=app, host="127.0.0.1", port=0)])
    servers.start()
    model.url = f"{servers.addresses['model']}/v1"
    here, drift = {"base_url": model.url, "concurrency": 4}, {"drift": {"min_cases": min_cases}}
    try:
        with daemon(folder, targets=_each(here), deployments=_each(drift)) as house:
            house.import_primes(CASES)
            yield house, model
    finally:
        servers.stop()


def _each(change: dict[str, Any]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Return every section of that name with these keys."""
    return lambda sections: {name: {**section, **change} for name, section in sections.items()}


def of_set(house: House) -> list[dict[str, Any]]:
    """Return the complete runs of the private set, oldest first."""
    found = [run for run in house.listed("runs") if run["set_name"] == FROZEN and run["state"] == "complete"]
    return sorted(found, key=lambda run: run["finished_at"])


def texts(house: House, run: dict[str, Any]) -> set[str | None]:
    """Return the answers, decrypted with the key of the set."""
    sealer = Sealer(load_key((house.folder / "primes.key").read_text()))
    with house.app.store.read() as tx:
        query = PageQuery(limit=500)
        page = outcomes.page(tx, run["id"], query, lambda sealed, place: sealer.open(sealed, place).decode())
    return {row.text for row in page.items}


def finding_of(house: House, run: dict[str, Any]) -> dict[str, Any]:
    return next(finding for finding in house.listed("findings") if finding["candidate_run"] == run["id"])


def test_a_run_that_met_two_models_becomes_a_run_of_each(tmp_path: Path) -> None:
    with switching(tmp_path) as (house, model):
        first = house.replay()
        model.switch(70, models=(OLD, NEW))
        asked = house.replay()
        before, after = of_set(house)[1:3]
        assert [run["outcomes"] for run in (before, after)] == [70, 50]
        assert before["id"] == asked["id"]  # most of its replies
        assert before["version"] == first["version"] != after["version"]
        assert after["version_label"].startswith(NEW)
        assert (texts(house, before), texts(house, after)) == ({"[Yes]"}, {"[No]"})
        assert [run["manifest"]["reported"]["model"] for run in (before, after)] == [{OLD: 70}, {NEW: 50}]
        assert [run["manifest"]["extra"]["split"] for run in (before, after)] == [
            {"part": 1, "of": [before["id"], after["id"]]},
            {"part": 2, "of": [before["id"], after["id"]]},
        ]
        [change] = house.listed("changes")
        assert (change["from_version"], change["to_version"]) == (first["version"], after["version"])
        assert (before["change_id"], after["change_id"]) == (None, change["id"])
        assert finding_of(house, before)["verdict"] in {"ok", "improvement", "insufficient"}
        judged = finding_of(house, after)
        assert (judged["from_version"], judged["to_version"]) == (first["version"], after["version"])


def test_a_part_too_small_to_judge_is_no_night_and_the_new_version_is_replayed_whole(tmp_path: Path) -> None:
    with switching(tmp_path, min_cases=40) as (house, model):
        first = house.replay()
        model.switch(95, models=(OLD, NEW))
        house.replay()
        runs = of_set(house)
        assert [run["outcomes"] for run in runs] == [120, 95, 25, 120 + 12]  # after a change a tenth is repeated
        assert [run["trigger"] for run in runs] == ["manual", "manual", "manual", "change"]
        [change] = house.listed("changes")
        assert [run["change_id"] for run in runs] == [None, None, None, change["id"]]
        assert runs[2]["version"] == runs[3]["version"] != first["version"]
        assert finding_of(house, runs[2])["verdict"] == "insufficient"


def test_a_stray_reply_is_taken_out_and_makes_no_version(tmp_path: Path) -> None:
    with switching(tmp_path) as (house, model):
        house.replay()
        model.switch(119, models=(OLD, NEW))
        house.replay()
        runs = of_set(house)
        assert [run["outcomes"] for run in runs] == [120, 119, 1]
        assert (runs[2]["version"], finding_of(house, runs[2])["verdict"]) == (None, "insufficient")
        assert (house.listed("changes"), len(house.listed("versions"))) == ([], 1)


def test_a_backend_that_changed_for_good_divides_the_run_as_well(tmp_path: Path) -> None:
    with switching(tmp_path) as (house, model):
        house.replay()
        model.switch(60, backends=("fp_1", "fp_2"))
        house.replay()
        runs = of_set(house)
        assert [run["manifest"]["reported"]["system_fingerprint"] for run in runs[1:]] == [{"fp_1": 60}, {"fp_2": 60}]
        [change] = house.listed("changes")
        assert change["from_version"] == change["to_version"] == runs[0]["version"]
        assert change["evidence"]["fingerprints"] == {"fp_2": 60}
        assert [run["change_id"] for run in runs] == [None, None, change["id"]]


def test_backends_that_take_turns_leave_a_run_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with switching(tmp_path) as (house, model):
        monkeypatch.setattr(
            type(model), "backends", property(lambda own: (f"fp_{own.answered % 3}",) * 2), raising=False
        )
        house.replay()
        [run] = of_set(house)
        assert (run["outcomes"], len(run["manifest"]["reported"]["system_fingerprint"])) == (120, 3)
