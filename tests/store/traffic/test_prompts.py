from monitor.domain.interaction import ContentState, Origin
from monitor.store.engine.database import Tx
from monitor.store.traffic import interactions, prompts
from tests.store.build import at, interaction


def test_the_text_told_last_with_a_version_is_kept(tx: Tx) -> None:
    prompts.store_announced(tx, "support", "v1", "Be brief.", at(0))
    prompts.store_announced(tx, "support", "v2", "Be kind.", at(1))
    prompts.store_announced(tx, "support", "v1", "Be very brief.", at(2))
    assert prompts.announced(tx, "support", "v1") == "Be very brief."
    assert prompts.announced(tx, "support", "v2") == "Be kind."
    assert prompts.announced(tx, "support", "v3") is None
    assert prompts.announced(tx, "sales", "v1") is None


def test_the_prompt_seen_is_that_of_the_newest_whole_production_call_of_the_version(tx: Tx) -> None:
    def seen(name: str, minute: float, text: str | None, **fields: object) -> None:
        given = {"identity": "v1", "system_prompt": text, "started_at": at(minute), "prompt_id": "p", **fields}
        interactions.insert(tx, [interaction(name, **given)])

    seen("a", 0, "Be brief.")
    seen("b", 1, "Be kind.", prompt_version="7")
    seen("c", 2, None)
    seen("d", 3, "Be cut o", content_state=ContentState.TRUNCATED)
    seen("e", 4, "Be replayed.", origin=Origin.REPLAY)
    seen("f", 5, "Be other.", identity="v2")
    seen("g", 6, "Write to <email:abcdefghijkl>.")
    seen("h", 7, "Write to ***.", attributes={"driftd.redacted": {"email": 1}})
    found = prompts.observed(tx, interaction("x").deployment, "v1")
    assert found is not None
    assert (found.text, found.prompt_id, found.prompt_version) == ("Be kind.", "p", "7")
    assert "kind" not in repr(found)
    assert prompts.observed(tx, "nobody", "v1") is None


def test_the_prompt_of_a_replay_is_kept_once_under_its_digest(tx: Tx) -> None:
    kept = prompts.ReplayedPrompt(text="Be {{ how }}.", is_template=True, prompt_id="p", prompt_version="7")
    prompts.store_replayed(tx, "support", "d1", kept)
    prompts.store_replayed(tx, "support", "d1", prompts.ReplayedPrompt(text="Be other.", is_template=False))
    assert prompts.replayed(tx, "support", "d1") == kept
    assert prompts.replayed(tx, "support", "d2") is None
    assert prompts.replayed(tx, "sales", "d1") is None
    assert "Be" not in repr(kept)
