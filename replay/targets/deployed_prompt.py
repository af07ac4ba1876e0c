"""The deployed prompt: rendered for a case, and identified by its hash, because its text is private."""

from typing import TYPE_CHECKING

from replay.errors import CallError, TargetError
from replay.targets.prompt import prompt_hash
from replay.targets.settings import TargetSettings
from replay.types import Case

if TYPE_CHECKING:
    from replay.targets.template import Template


class Prompt:
    """Renders the prompt and has its hashes.

    `text_hash` is the hash of the prompt with the variables of the configuration. It is None without a prompt, and if
    the configuration lacks variables. `template_hash` is None for a plain text.
    """

    def __init__(self, settings: TargetSettings) -> None:
        if settings.system_prompt is not None and settings.template is not None:
            raise TargetError("a target has a system_prompt or a template, not both")
        self._plain, self._variables = settings.system_prompt, dict(settings.variables)
        source = settings.template
        self._template = None if source is None else _template(source)
        self.template_hash = None if source is None else prompt_hash(source)
        try:
            text = self._as_configured()
        except CallError as error:
            raise TargetError(str(error)) from None
        self.text_hash = None if text is None else prompt_hash(text)

    def render(self, case: Case) -> str | None:
        """Return the system message for the case; None without one. Raise CallError if a variable is missing."""
        if self._template is None:
            return self._plain
        return self._template.render({**self._variables, **case.variables})

    def _as_configured(self) -> str | None:
        if self._template is None:
            return self._plain
        return self._template.render(self._variables) if self._template.names <= set(self._variables) else None


def _template(source: str) -> "Template":
    from replay.targets.template import Template  # imports Jinja, which only templates need

    return Template(source, "the template of the prompt")
