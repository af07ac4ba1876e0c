"""Key rotation of sealed sets."""

from fastapi import APIRouter
from fastapi.responses import Response

from monitor.api.access import Sender, needs
from monitor.api.auth import Role
from monitor.api.body import Write, model_body
from monitor.api.context import Context
from monitor.api.idempotency import write_once
from monitor.api.routes.sets.sets import configured, sealer_for
from monitor.api.schema import RotatedKey, RotateKey
from monitor.domain.compaction import Compaction, CompactionKind
from monitor.domain.run import new_id
from monitor.errors import Conflict
from monitor.store.engine.database import Tx
from monitor.store.maintenance import compactions
from monitor.store.maintenance import rotate_key as reseal
from replay.errors import SealError

router = APIRouter(prefix="/api/v1/sets", tags=["sets"])


@router.post("/key", status_code=202, response_model=RotatedKey, **needs(Role.ADMIN, **model_body(RotateKey)))
def rotate_key(context: Context, write: Write, sender: Sender) -> Response:
    """Encrypt everything of the set with its configured key and order a compaction, which removes the bytes that the
    old key can decrypt.
    """
    order = write.parse(RotateKey)
    policy = configured(context, order.name)
    sealer = sealer_for(context, policy)
    if sealer is None:
        raise Conflict(f"eval set {order.name!r} is dynamic and not sealed; it has no key")

    def work(tx: Tx) -> tuple[int, RotatedKey]:
        try:
            done = reseal.reseal(tx, order.name, sealer)
        except SealError as error:
            raise Conflict(f"eval set {order.name!r}: {error}") from None
        compaction = None
        if done.rows:
            now = context.clock.now()
            compaction = Compaction(
                id=new_id("compaction", now), kind=CompactionKind.COMPACT, at=now, who=sender.name, removed={}
            )
            compactions.insert(tx, compaction)
        return 202, RotatedKey(
            name=order.name,
            key_id=done.key_id,
            cases=done.cases,
            outcomes=done.outcomes,
            scores=done.scores,
            compaction=compaction and compaction.id,
        )

    return write_once(context, write, work)
