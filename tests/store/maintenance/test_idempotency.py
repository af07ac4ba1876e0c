from dataclasses import replace

from monitor.store.engine.database import Tx
from monitor.store.maintenance import idempotency
from monitor.store.maintenance.idempotency import StoredResponse
from tests.store.build import START

ANSWER = StoredResponse(key="k", route="POST /changes", request_hash="h", status=201, body='{"id":"c"}', at=START)


def test_an_answer_is_remembered_for_its_key_and_route(tx: Tx) -> None:
    assert idempotency.get(tx, "k", "POST /changes") is None
    assert idempotency.put(tx, ANSWER)
    assert idempotency.get(tx, "k", "POST /changes") == ANSWER
    assert idempotency.get(tx, "k", "POST /sets") is None


def test_the_first_answer_stays(tx: Tx) -> None:
    idempotency.put(tx, ANSWER)
    assert not idempotency.put(tx, replace(ANSWER, body="{}"))
    assert idempotency.get(tx, "k", "POST /changes") == ANSWER
