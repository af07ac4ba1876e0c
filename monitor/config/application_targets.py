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
    """JSONPaths of values in the answer. A value without a path is unknown."""

    model: Text | None = Field(
        default=None,
        description="The model that answered.",
        json_schema_extra=why("a replay needs it to identify the version"),
    )
    system_fingerprint: Text | None = Field(
        default=None,
        description="The build or backend that answered.",
        json_schema_extra=why("code can change without a new model name"),
    )
    reported_at: Text | None = Field(
        default=None,
        description="Time of the answer, in seconds since 1970 or RFC 3339. Default: the Date header.",
        json_schema_extra=why("it identifies a cached answer"),
    )
    response_id: Text | None = Field(
        default=None,
        description="The id of the answer.",
        json_schema_extra=why("it finds the call in the logs of the application"),
    )
    finish_reason: Text | None = Field(
        default=None,
        description="The finish reason.",
        json_schema_extra=why("it identifies a truncated answer"),
    )
    input_tokens: Text | None = Field(
        default=None, description="Input tokens.", json_schema_extra=why("they determine the cost of a run")
    )
    output_tokens: Text | None = Field(
        default=None, description="Output tokens.", json_schema_extra=why("they determine the cost of a run")
    )
    cost_usd: Text | None = Field(
        default=None,
        description="Cost of the answer in US dollars; it has priority over price.",
        json_schema_extra=why("an application that calls several models knows its cost best"),
    )


class RequestConfig(Section):
    """One HTTP request. The URL, the header values and the body are Jinja templates."""

    FILES: ClassVar[Mapping[str, FileKey]] = {"body_file": FileKey(key="body")}

    url: Text = Field(
        description="URL. In a template, write values of the case as {{ question | urlencode }}.",
        json_schema_extra=why("each application has its own URLs"),
    )
    method: Method = Field(
        default="POST", description="HTTP method.", json_schema_extra=why("most applications accept questions by POST")
    )
    headers: dict[str, SecretStr] = Field(
        default={},
        description="Headers by name; use ${ENV} for secrets.",
        json_schema_extra=why("applications use headers for tenants and tokens"),
    )
    body: Text | None = Field(
        default=None,
        description="Body; JSON unless a header sets another type. Write values as {{ question | tojson }}.",
        json_schema_extra=why("some calls have no body"),
    )
    body_file: Path | None = Field(
        default=None,
        description="File with the body.",
        json_schema_extra=why("a long body is easier to read in a file"),
    )

    def request(self) -> "RequestSettings":
        from replay.targets.http_request import RequestSettings  # imports Jinja, which few targets need

        return RequestSettings(url=self.url, method=self.method, headers=secrets(self.headers), body=self.body)


class SessionCallConfig(RequestConfig):
    """A call before each case, for example to open a session. The latency of the case does not include it."""

    extract: dict[str, Text] = Field(
        default={},
        description=(
            "Values to extract from the response for later calls: a JSONPath by name. Templates read them as "
            "session.NAME."
        ),
        json_schema_extra=why("a session has an id"),
    )


class PollConfig(RequestConfig):
    """The call that polls for an asynchronous answer. Its templates read the response so far as `reply`."""

    method: Method = Field(
        default="GET", description="HTTP method.", json_schema_extra=why("a poll must not change anything")
    )
    until: Text | None = Field(
        default=None,
        description=(
            "JSONPath that matches when the answer is complete, for example $[?$.status == 'done']. Default: the "
            "path of the answer."
        ),
        json_schema_extra=why("some applications return partial answers"),
    )
    every_s: float = Field(
        default=1.0,
        ge=0.01,
        le=60,
        description="Seconds between two polls.",
        json_schema_extra=why("asynchronous answers take seconds"),
    )


class HttpTarget(TargetBase, RequestConfig):
    """The application itself over HTTP: templates build the request, and JSONPaths find the answer in the response."""

    FILES: ClassVar[Mapping[str, FileKey]] = {
        **TargetBase.FILES,
        **RequestConfig.FILES,
        "api_key_file": FileKey(key="api_key"),
    }

    kind: Literal["http"] = Field(description="http", json_schema_extra=why("the product is more than its model"))
    api_key: SecretStr | None = Field(
        default=None,
        description="Bearer token of every call; use ${ENV}.",
        json_schema_extra=why("messages and logs never contain this value"),
    )
    api_key_file: Path | None = Field(
        default=None,
        description="File with the key.",
        json_schema_extra=why("orchestrators mount secrets as files"),
    )
    model: str = Field(
        default="",
        description="Name of the model that the application requests.",
        json_schema_extra=why("needed only if request_model is part of the version identity"),
    )
    answer: Text = Field(
        default="$.answer",
        description="JSONPath of the answer. $ takes a plain text as a whole.",
        json_schema_extra=why("applications return more than a text"),
    )
    paths: AnswerPathsConfig = Field(
        default=AnswerPathsConfig(),
        description="JSONPaths of the model, the usage and the time in the response.",
        json_schema_extra=why("without a model a run belongs to no version"),
    )
    session: tuple[SessionCallConfig, ...] = Field(
        default=(),
        description="Calls before each case, in order.",
        json_schema_extra=why("an application may need an open conversation"),
    )
    poll: PollConfig | None = Field(
        default=None,
        description="How to poll for an asynchronous answer.",
        json_schema_extra=why("long work is often acknowledged first"),
    )

    @property
    def where(self) -> str:
        return mask_url(self.url)

    def kind_options(self) -> dict[str, Any]:
        from replay.targets.http import Poll, SessionCall

        poll = self.poll
        return {
            "request": self.request(),
            "answer": self.answer,
            "paths": {name: path for name, path in self.paths if path is not None},
            "model": self.model,
            "api_key": secret(self.api_key),
            "session": tuple(SessionCall(request=call.request(), extract=call.extract) for call in self.session),
            "poll": poll and Poll(request=poll.request(), until=poll.until, every_s=poll.every_s),
        }


class CommandTarget(TargetBase):
    """A program on the machine of the daemon, one process for each call: JSON on standard input, JSON on standard
    output.
    """

    kind: Literal["command"] = Field(
        description="command", json_schema_extra=why("a program without a server can be replayed too")
    )
    command: tuple[str, ...] = Field(
        min_length=1,
        description="The program and its arguments; no shell interprets them.",
        json_schema_extra=why("a shell would interpret the text of a case"),
    )
    folder: Path | None = Field(
        default=None,
        description="Working directory. Default: the folder of this file.",
        json_schema_extra=why("a program finds its files by relative paths"),
    )
    env: dict[str, SecretStr] = Field(
        default={},
        description=(
            "Environment variables, in addition to PATH, HOME, LANG, LC_ALL, TZ and TMPDIR; use ${ENV} for secrets."
        ),
        json_schema_extra=why("the program must not inherit the secrets of the daemon"),
    )
    model: str = Field(
        default="",
        description="Name of the model that the program requests.",
        json_schema_extra=why("needed only if request_model is part of the version identity"),
    )
    concurrency: int = Field(
        default=4,
        ge=1,
        le=256,
        description="Processes at the same time.",
        json_schema_extra=why("each process runs on the machine of the daemon"),
    )

    @field_validator("folder")
    @classmethod
    def _from_folder(cls, folder: Path | None, info: ValidationInfo) -> Path:
        return folder_of(info) / (folder or Path())

    @property
    def where(self) -> str:
        return shlex.join(mask_command(self.command))

    def kind_options(self) -> dict[str, Any]:
        return {"command": self.command, "folder": self.folder, "env": secrets(self.env), "model": self.model}
