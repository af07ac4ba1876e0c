"""The handler of last resort around every route: an unexpected exception becomes a problem document."""

import logging
import traceback

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from monitor.api.problems import problem_response

logger = logging.getLogger(__name__)


class ErrorBoundary:
    """Answers a bug with a 500 that says nothing of the inside, and logs it once.

    The log names the exception's class and the places it passed, never its message: messages of libraries quote
    values, and a value may be sealed text.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def watch(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, watch)
        except Exception as error:
            places = "".join(traceback.format_tb(error.__traceback__))
            logger.error("%s in a request; this is a bug in driftd, passing\n%s", type(error).__name__, places)  # noqa: TRY400
            if started:
                raise
            detail = "driftd failed to answer; its log has the place of the error"
            await problem_response(500, "internal", detail)(scope, receive, send)
