"""The outermost error handler: an unexpected exception becomes a problem document."""

import logging
import traceback

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from monitor.api.problems import problem_response

logger = logging.getLogger(__name__)


class ErrorBoundary:
    """Answers a bug with 500 and no internal details, and logs it once.

    The log has the exception class and the traceback, but not the message: library messages quote values, which may be
    sealed text.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def track_start(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, track_start)
        except Exception as error:
            trace = "".join(traceback.format_tb(error.__traceback__))
            logger.error("%s in a request; this is a bug in driftd. Traceback:\n%s", type(error).__name__, trace)  # noqa: TRY400
            if started:
                raise
            detail = "internal error; the log of driftd has the details"
            await problem_response(500, "internal", detail)(scope, receive, send)
