"""Settings of targets that are the product itself: an application over HTTP, or a program on this machine."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field, SecretStr, ValidationInfo, field_validator

from monitor.config.section import FileKey, Section, folder_of, why
from monitor.config.target_base import TargetBase, Text, secret, secrets
from replay.targets.masking import mask_command, mask_url

if TYPE_CHECKING:
    from replay.targets.http_request import RequestSettings

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]


class AnswerPathsConfig(Section):
    """Where an answer tells of itself, each a JSONPath; what has none is not known."""

    model: Text | None = Field(
        default=None,
        description="The model that answered.",
        json_schema_extra=why("it is how a replay knows which version it met"),
    )
    system_fingerprint: Text | None = Field(
        default=None,
        description="The build or backend that answered.",
        json_schema_extra=why("code changes too, and no model name tells"),
    )
    reported_at: Text | None = Field(
        default=None,
        description="When it answered, in seconds since 1970 or RFC 3339; the Date header when absent.",
        json_schema_extra=why("a cached answer is an old one"),
    )
    response_id: Text | None = Field(
        default=None,
        description="The id of the answer.",
        json_schema_extra=why("it finds the call in the application's own logs"),
    )
    finish_reason: Text | None = Field(
        default=None,
        description="How the answer ended.",
        json_schema_extra=why("an answer that was cut off says so here"),
    )
    input_tokens: Text | None = Field(
        default=None, description="Tokens of the question.", json_schema_extra=why("tokens are what a run costs")
    )
    output_tokens: Text | None = Field(
        default=None, description="Tokens of the answer.", json_schema_extra=why("tokens are what a run costs")
    )
    cost_usd: Text | None = Field(
        default=None,
        description="US dollars of the answer; it goes before price.",
        json_schema_extra=why("an application that asks several models knows best"),
    )


class RequestConfig(Section):
    """One HTTP request. The address, the values of headers and the body are Jinja templates."""

    FILES: ClassVar[Mapping[str, FileKey]] = {"body_file": FileKey(key="body")}

    url: Text = Field(
        description="Address; in a template, values of the case are best as {{ question | urlencode }}.",
        json_schema_extra=why("an application has addresses of its own"),
    )
    method: Method = Field(default="POST", description="HTTP method.", json_schema_extra=why("questions are posted"))
    headers: dict[str, SecretStr] = Field(
        default={},
        description="Headers by name; secrets best as ${ENV}.",
        json_schema_extra=why("applications ask for tenants and tokens in headers of their own"),
    )
    body: Text | None = Field(
        default=None,
        description="Body; JSON unless a header says otherwise, with values as {{ question | tojson }}.",
        json_schema_extra=why("not every call has one"),
    )
    body_file: Path | None = Field(
        default=None,
        description="File that holds the body.",
        json_schema_extra=why("a long body reads better in a file"),
    )

    def request(self) -> "RequestSettings":
        from replay.targets.http_request import RequestSettings  # brings Jinja, which few targets need

        return RequestSettings(url=self.url, method=self.method, headers=secrets(self.headers), body=self.body)


class SessionCallConfig(RequestConfig):
    """A call that is made before each case, for example to open a session. It is no part of the latency."""

    keep: dict[str, Text] = Field(
        default={},
        description="Names and JSONPaths of what later calls need of the answer; templates see it as session.NAME.",
        json_schema_extra=why("a session has an id"),
    )


class PollConfig(RequestConfig):
    """The call that looks for an answer which comes later. Its templates see the answer so far as `reply`."""

    method: Method = Field(default="GET", description="HTTP method.", json_schema_extra=why("looking changes nothing"))
    until: Text | None = Field(
        default=None,
        description="JSONPath that finds something when the answer is whole, for example $[?$.status == 'done']; "
        "without it the answer itself.",
        json_schema_extra=why("some applications show half an answer"),
    )
    every_s: float = Field(
        default=1.0,
        ge=0.01,
        le=60,
        description="Time between two looks, in seconds.",
        json_schema_extra=why("an answer that comes later takes seconds"),
    )


class HttpTarget(TargetBase, RequestConfig):
    """The application itself over HTTP: what is asked by templates, where the answer stands by JSONPath."""

    FILES: ClassVar[Mapping[str, FileKey]] = {
        **TargetBase.FILES,
        **RequestConfig.FILES,
        "api_key_file": FileKey(key="api_key"),
    }

    kind: Literal["http"] = Field(description="http", json_schema_extra=why("the product is more than its model"))
    api_key: SecretStr | None = Field(
        default=None,
        description="Sent as a bearer token with every call; best as ${ENV}.",
        json_schema_extra=why("a key that stands here is kept out of every message"),
    )
    api_key_file: Path | None = Field(
        default=None,
        description="File that holds the key.",
        json_schema_extra=why("mounted secrets of an orchestrator are files"),
    )
    model: str = Field(
        default="",
        description="What the application calls the model that it asks for.",
        json_schema_extra=why("only where request_model is part of the identity"),
    )
    answer: Text = Field(
        default="$.answer",
        description="JSONPath of the answer; $ with a plain text takes the whole of it.",
        json_schema_extra=why("an application answers with more than a text"),
    )
    paths: AnswerPathsConfig = Field(
        default=AnswerPathsConfig(),
        description="Where the answer tells what served it and what it took.",
        json_schema_extra=why("without a model a run belongs to no version"),
    )
    session: tuple[SessionCallConfig, ...] = Field(
        default=(),
        description="Calls before each case, in order.",
        json_schema_extra=why("a conversation may need to be opened"),
    )
    poll: PollConfig | None = Field(
        default=None,
        description="How to look for an answer that comes later.",
        json_schema_extra=why("long work is often answered with a receipt first"),
    )

    @property
    def where(self) -> str:
        return mask_url(self.url)

    def told(self) -> dict[str, Any]:
        from replay.targets.http import Poll, SessionCall

        poll = self.poll
        return {
            "request": self.request(),
            "answer": self.answer,
            "paths": {name: path for name, path in self.paths if path is not None},
            "model": self.model,
            "api_key": secret(self.api_key),
            "session": tuple(SessionCall(request=call.request(), keep=call.keep) for call in self.session),
            "poll": poll and Poll(request=poll.request(), until=poll.until, every_s=poll.every_s),
        }


class CommandTarget(TargetBase):
    """A program on the daemon's machine, one process for each call: JSON on standard input, JSON on standard output."""

    kind: Literal["command"] = Field(
        description="command", json_schema_extra=why("what has no server can still be replayed")
    )
    command: tuple[str, ...] = Field(
        min_length=1,
        description="The program and its arguments; no shell reads them.",
        json_schema_extra=why("a shell would read what a case says"),
    )
    folder: Path | None = Field(
        default=None,
        description="Working folder; the folder of this file when absent.",
        json_schema_extra=why("a program finds its files beside it"),
    )
    env: dict[str, SecretStr] = Field(
        default={},
        description="Its environment, beside PATH, HOME, LANG, LC_ALL, TZ and TMPDIR; secrets best as ${ENV}.",
        json_schema_extra=why("the daemon's own secrets are none of its business"),
    )
    model: str = Field(
        default="",
        description="What the program calls the model that it asks for.",
        json_schema_extra=why("only where request_model is part of the identity"),
    )
    concurrency: int = Field(
        default=4,
        ge=1,
        le=256,
        description="Processes at a time.",
        json_schema_extra=why("each is a program on the daemon's machine"),
    )

    @field_validator("folder")
    @classmethod
    def _from_folder(cls, folder: Path | None, info: ValidationInfo) -> Path:
        return folder_of(info) / (folder or Path())

    @property
    def where(self) -> str:
        return shlex.join(mask_command(self.command))

    def told(self) -> dict[str, Any]:
        return {"command": self.command, "folder": self.folder, "env": secrets(self.env), "model": self.model}
