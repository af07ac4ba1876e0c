"""Callbacks: the services of receivers report what people did there. A signature takes the place of a token."""

from typing import Annotated

from fastapi import APIRouter
from fastapi.responses import Response

from monitor.api.access import open_to_all
from monitor.api.body import WriteRequest, form_body, json_body
from monitor.api.callbacks import pagerduty, slack
from monitor.api.callbacks.signed_body import Callback, signed_body
from monitor.api.context import Context
from monitor.api.idempotency import write_once
from monitor.api.schema import CallbackResult
from monitor.store.engine.database import Tx

router = APIRouter(prefix="/api/v1/callbacks", tags=["alerts"])
_PagerDutyCallback = Annotated[Callback, signed_body("pagerduty", pagerduty.is_signed)]
_SlackCallback = Annotated[Callback, signed_body("slack_api", slack.is_signed)]
_FORM = {"type": "object", "required": ["payload"], "properties": {"payload": {"type": "string"}}}


@router.post("/pagerduty/{name}", response_model=CallbackResult, **open_to_all(**json_body({"type": "object"})))
def pagerduty_webhook(context: Context, callback: _PagerDutyCallback) -> Response:
    """Take a v3 webhook of PagerDuty, signed in `X-PagerDuty-Signature`.

    `incident.acknowledged` acknowledges the firing alerts of the group, `incident.unacknowledged` takes that back, and
    `incident.resolved` is stored in the history. An event that arrives twice has one effect.
    """
    event = pagerduty.read_event(callback.body)
    once = WriteRequest(route=f"pagerduty {callback.receiver}", key=event.id, body=event.id.encode())

    def work(tx: Tx) -> tuple[int, CallbackResult]:
        return 200, pagerduty.apply(tx, event, callback.receiver, context.clock.now())

    return write_once(context, once, work)


@router.post("/slack/{name}", response_model=CallbackResult, **open_to_all(**form_body(_FORM)))
def slack_interaction(context: Context, callback: _SlackCallback) -> Response:
    """Take an interaction of Slack, signed in `X-Slack-Signature`.

    The button Acknowledge of a message acknowledges the firing alerts of the group. Other actions have no effect.
    """
    interaction = slack.read_interaction(callback.body)
    once = WriteRequest(route=f"slack {callback.receiver}", key=interaction.key, body=interaction.key.encode())

    def work(tx: Tx) -> tuple[int, CallbackResult]:
        return 200, slack.apply(tx, interaction, callback.receiver, context.clock.now())

    return write_once(context, once, work)
