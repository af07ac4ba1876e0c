"""Send OTLP bodies as gRPC messages. An internal error, or a lost valid record, is a failure."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import grpc

from tests.fuzz.requests import Request

PATIENCE_S = 60.0
METHODS = {
    "/v1/traces": "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
    "/v1/logs": "/opentelemetry.proto.collector.logs.v1.LogsService/Export",
}


@dataclass(slots=True)
class Calls:
    """The results. `landed` are the ids of acknowledged valid records."""

    channel: grpc.Channel
    codes: Counter[grpc.StatusCode] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    landed: list[str] = field(default_factory=list)

    def fire(self, requests: Iterable[Request]) -> None:
        """Send the requests. JSON bodies are sent unchanged: for gRPC they are invalid messages."""
        for request in requests:
            if request.path not in METHODS:
                continue
            export: Any = self.channel.unary_unary(METHODS[request.path])
            answer = export.future(request.body, timeout=PATIENCE_S)
            self._note(request, answer.code(), answer.details())

    def _note(self, request: Request, code: grpc.StatusCode, said: str) -> None:
        self.codes[code] += 1
        protobuf = request.headers.get("content-type") == "application/x-protobuf"
        if code is grpc.StatusCode.OK:
            if request.lands and protobuf:
                self.landed.append(request.lands)
        elif code is not grpc.StatusCode.INVALID_ARGUMENT or (protobuf and not request.refused):
            self.wrong.append(f"{request.name[:80]} ({request.path}): {code} {said[:200]}")
