"""The settings that receivers share: clearance, and the templates of messages."""

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from pydantic import Field, SecretStr

from monitor.config.section import FileKey, Section, why
from monitor.domain.policy import DataLabel

_PARTS = ("title", "summary", "text", "html")


class TemplatesConfig(Section):
    """Jinja templates that replace parts of the built-in message. docs/read-an-alert.md lists values and filters."""

    FILES: ClassVar[Mapping[str, FileKey]] = {f"{part}_file": FileKey(key=part) for part in _PARTS}

    title: str | None = Field(
        default=None,
        description="Template of the title, one line.",
        json_schema_extra=why("the built-in title names the categories that fell"),
    )
    title_file: Path | None = Field(
        default=None,
        description="File with the template of the title.",
        json_schema_extra=why("a file is easier to edit than a string in YAML"),
    )
    summary: str | None = Field(
        default=None,
        description="Template of the summary, one line: the text of a phone notification.",
        json_schema_extra=why("the built-in summary has versions, effect and interval"),
    )
    summary_file: Path | None = Field(
        default=None,
        description="File with the template of the summary.",
        json_schema_extra=why("a file is easier to edit than a string in YAML"),
    )
    text: str | None = Field(
        default=None,
        description="Template of the plain text.",
        json_schema_extra=why("the built-in text has every row of the message"),
    )
    text_file: Path | None = Field(
        default=None,
        description="File with the template of the plain text.",
        json_schema_extra=why("a text has many lines"),
    )
    html: str | None = Field(
        default=None,
        description="Template of the HTML document. Values are escaped.",
        json_schema_extra=why("the built-in document has the same rows as the text"),
    )
    html_file: Path | None = Field(
        default=None,
        description="File with the template of the HTML document.",
        json_schema_extra=why("a document has many lines"),
    )

    def sources(self) -> dict[str, str]:
        """Return the templates that are set, by part."""
        found = {part: getattr(self, part) for part in _PARTS}
        return {part: source for part, source in found.items() if source is not None}


class ReceiverSection(Section):
    """The settings of every receiver."""

    ACKNOWLEDGES: ClassVar[bool] = False  # the service shows the acknowledgement of a group of alerts
    REMEMBERS: ClassVar[bool] = False  # the receiver keeps a GroupMemory; `options` gets it as `memory`

    cleared_for: tuple[DataLabel, ...] = Field(
        default=(),
        description=(
            "Data labels of which this receiver may get texts: public, confidential, pii. It gets the questions of the"
            " worst cases if it is cleared for every label of the set; a set without labels, and a prompt, count as"
            " confidential. Texts of a sealed set are never sent."
        ),
        json_schema_extra=why("a message passes through services of others, so it has no texts unless you allow it"),
    )

    @property
    def gets_change_events(self) -> bool:
        """Return whether the service records changes of versions and of baselines."""
        return False

    @property
    def callback_secret(self) -> SecretStr | None:
        """Return the secret that signs the callbacks of the service; None if it makes none."""
        return None


class MessageReceiver(ReceiverSection):
    """The settings of a receiver that shows a message to people."""

    templates: TemplatesConfig = Field(
        default=TemplatesConfig(),
        description="Templates of the message of this receiver.",
        json_schema_extra=why("the built-in message suits most teams"),
    )
