"""Jinja templates of prompts and requests, in a sandbox. Errors do not quote a case."""

import json
from collections.abc import Mapping
from typing import Any

from jinja2 import StrictUndefined, TemplateError, TemplateSyntaxError, meta
from jinja2.sandbox import ImmutableSandboxedEnvironment

from replay.errors import TargetError
from replay.targets.failure import ErrorClass, failed, one_line

_ENVIRONMENT = ImmutableSandboxedEnvironment(
    undefined=StrictUndefined,
    autoescape=False,
    keep_trailing_newline=True,
)
# Jinja's own filter escapes < and & for HTML; a question is sent without changes.
_ENVIRONMENT.filters["tojson"] = lambda value: json.dumps(value, ensure_ascii=False)


class Template:
    """A template. `what` names it in errors, for example `body of target support`. Raise TargetError if it is not
    valid.
    """

    def __init__(self, source: str, what: str) -> None:
        self.source = source
        self._what = what
        try:
            self.names = frozenset(
                meta.find_undeclared_variables(_ENVIRONMENT.parse(source)) - set(_ENVIRONMENT.globals)
            )
            self._template = _ENVIRONMENT.from_string(source)
        except TemplateSyntaxError as error:
            raise TargetError(f"{what}: is not a valid Jinja template (line {error.lineno}: {error.message})") from None

    def render(self, values: Mapping[str, Any]) -> str:
        """Return the text with `values`. Raise CallError if a value is missing or the template fails."""
        try:
            return self._template.render(values)
        except TemplateError as error:
            why = one_line(f"{type(error).__name__}: {error.message or ''}")
            raise failed(ErrorClass.BAD_TEMPLATE, f"{self._what} cannot be rendered: {why}") from None
        except Exception as error:  # noqa: BLE001 (a template may divide by zero; its message may hold the case)
            raise failed(ErrorClass.BAD_TEMPLATE, f"{self._what} cannot be rendered: {type(error).__name__}") from None
