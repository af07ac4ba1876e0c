"""Renders a payload as a message: title, summary, text and HTML, from templates in a sandbox."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from monitor.alerting.content import content_of
from monitor.alerting.older_payload import current_payload
from monitor.alerting.template_error import TemplateFailed
from monitor.printable import printable, printable_values

if TYPE_CHECKING:
    from jinja2 import Template

log = logging.getLogger(__name__)
Part = Literal["title", "summary", "text", "html"]
PARTS: tuple[Part, ...] = ("title", "summary", "text", "html")
_MOST = {"title": 250, "summary": 1000}  # characters; receivers with smaller limits cut further
_FOLDER = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A message. `title` and `summary` are one line each, `text` has at most 80 lines, `html` is a complete document.

    `problems` names each template of the configuration that failed; the built-in one is in its place.
    """

    title: str
    summary: str
    text: str
    html: str
    problems: tuple[str, ...] = field(default=())


class Templates:
    """The templates of one receiver. A part without a template has the built-in one."""

    def __init__(self, where: str, sources: Mapping[str, str]) -> None:
        """`where` names the configuration key in errors, for example `receivers.pager.templates`.

        Raises:
            ConfigError: A template is not valid Jinja, or uses what the sandbox does not allow.
        """
        self.where = where
        self._own = {part: _compiled(source, f"{where}.{part}") for part, source in sources.items()}

    def render(self, payload: Mapping[str, Any]) -> Rendered:
        """Return the message. A template that fails, takes too long or is too large is replaced by the built-in one."""
        try:
            values = _values(payload)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            return _bare(payload, error)
        parts: dict[str, str] = {}
        problems: list[str] = []
        for part in PARTS:
            try:
                parts[part] = self._part(part, values)
            except TemplateFailed as error:
                problems.append(f"{self.where}.{part}: {error}")
                log.warning("%s.%s: %s; the built-in template is used", self.where, part, error)
                parts[part] = _built_in(part, values)
            if part == "title":
                values["title"] = parts["title"]
        if problems:
            notes = [f"{why}; the built-in template is used" for why in problems]
            parts["text"] = "\n".join([parts["text"], *notes])
            parts["html"] += "".join(f"<p>{escape(each)}</p>" for each in notes)
        return Rendered(**parts, problems=tuple(problems))

    def _part(self, part: Part, values: Mapping[str, Any]) -> str:
        own = self._own.get(part)
        if own is None:
            return _built_in(part, values)
        from monitor.alerting.sandbox import evaluate

        text = evaluate(own, values)
        return _trimmed(part, text)


_BUILT_IN_ONLY = Templates("built-in templates", {})


def render(payload: Mapping[str, Any], templates: Templates | None = None) -> Rendered:
    """Return the message of a payload of any schema, with the templates of the receiver if it has its own.

    Control characters in values from outside are escaped. The same values are in each part.
    """
    return (templates or _BUILT_IN_ONLY).render(payload)


def text(payload: Mapping[str, Any]) -> str:
    """Return the message of a payload as plain text."""
    return render(payload).text


def _values(payload: Mapping[str, Any]) -> dict[str, Any]:
    current: dict[str, Any] = current_payload(printable_values(payload))
    content = content_of(current)
    return current | {
        "state": content.state,
        "headline": content.headline,
        "subject": content.subject,
        "effect": content.effect,
        "others": content.others,
        "rows": list(content.rows),
    }


def _bare(payload: Mapping[str, Any], error: Exception) -> Rendered:
    """Return a message of the summary alone. A payload of an unknown shape must not stop the page."""
    why = f"the payload cannot be read ({type(error).__name__}: {printable(str(error))}); driftd alerts show has it"
    alert = payload.get("alert") or {}
    title = printable(f"ALERT · {payload.get('deployment')} · {alert.get('id')}")
    summary = printable(str(alert.get("summary") or payload.get("reason")))
    lines = (title, summary, why)
    return Rendered(
        title=title,
        summary=summary,
        text="\n".join(lines),
        html="".join(f"<p>{escape(line)}</p>" for line in lines),
        problems=(why,),
    )


def _compiled(source: str, where: str) -> "Template":
    from monitor.alerting.sandbox import compile_template  # imports Jinja, which only a message needs

    return compile_template(source, where)


def _built_in(part: Part, values: Mapping[str, Any]) -> str:
    text = _built_in_template(part).render(values)
    return _trimmed(part, text)


@cache
def _built_in_template(part: Part) -> "Template":
    return _compiled((_FOLDER / f"{part}.j2").read_text(encoding="utf-8"), f"templates/{part}.j2")


def _trimmed(part: Part, text: str) -> str:
    """Return a title or a summary on one line within its limit, and another part without empty lines at its ends."""
    most = _MOST.get(part)
    if most is None:
        return text.strip("\n")
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
