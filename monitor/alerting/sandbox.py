"""Compiles and evaluates message templates in a sandbox, with limits of time and size."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from time import monotonic
from types import FrameType
from typing import Any, Final

from jinja2 import StrictUndefined, Template, TemplateError, TemplateSyntaxError
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from monitor.alerting.decided_text import p_text, percent, points
from monitor.alerting.message_rows import when
from monitor.alerting.template_error import TemplateFailed
from monitor.errors import ConfigError

LONGEST_S: Final = 2.0  # for one template; a built-in one takes a millisecond
MOST_CHARS: Final = 60_000  # of one rendered template; the longest message of a vendor is 512 kB
_COLUMN: Final = 10  # width of the names of rows in text
_FILTERS: Final = (
    "abs",
    "capitalize",
    "default",
    "d",
    "dictsort",
    "e",
    "escape",
    "first",
    "float",
    "int",
    "items",
    "join",
    "last",
    "length",
    "list",
    "lower",
    "map",
    "reject",
    "rejectattr",
    "replace",
    "round",
    "select",
    "selectattr",
    "sort",
    "string",
    "striptags",
    "sum",
    "title",
    "trim",
    "truncate",
    "unique",
    "upper",
    "urlencode",
)


class _TooLong(BaseException):
    """Ends a template that takes too long. A template cannot catch it."""


class _Environment(ImmutableSandboxedEnvironment):
    """Templates read values and use the listed filters. They call nothing, and cannot repeat or raise a value."""

    intercepted_binops = frozenset({"*", "**", "%"})

    def call(self, context: Any, obj: Any, /, *args: Any, **kwargs: Any) -> Any:  # noqa: ARG002  the signature of Jinja
        raise SecurityError("a template calls no functions")

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:  # noqa: ARG002  the signature of Jinja
        if operator == "*" and isinstance(left, int | float) and isinstance(right, int | float):
            return left * right
        raise SecurityError(f"the operator {operator} is not available")


def _environment(*, autoescape: bool) -> _Environment:
    environment = _Environment(
        undefined=StrictUndefined,
        autoescape=autoescape,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals.clear()
    own: dict[str, Callable[..., Any]] = {
        "points": points,
        "percent": percent,
        "p_value": p_text,
        "when": when,
        "column": _column,
        "is_link": _is_link,
    }
    environment.filters = {name: environment.filters[name] for name in _FILTERS} | own
    return environment


def _column(name: str) -> str:
    return f"{name:<{_COLUMN}}"


def _is_link(text: str) -> bool:
    return text.startswith(("https://", "http://")) and not any(char.isspace() for char in text)


_TEXT: Final = _environment(autoescape=False)
_HTML: Final = _environment(autoescape=True)


def compile_template(source: str, where: str) -> Template:
    """Return the compiled template. The part `html` escapes values for HTML. `where` ends with the name of the part.

    Raises:
        ConfigError: The template is not valid Jinja, or names an unknown filter.
    """
    environment = _HTML if where.removesuffix(".j2").endswith("html") else _TEXT
    try:
        return environment.from_string(source)
    except TemplateSyntaxError as error:
        raise ConfigError(f"{where}: not a valid Jinja template, line {error.lineno}: {error.message}") from None


def evaluate(template: Template, values: Mapping[str, Any]) -> str:
    """Return the text of a template of the configuration.

    Raises:
        TemplateFailed: A value is missing, or the template does something that is not allowed, takes longer than
            LONGEST_S seconds, or is longer than MOST_CHARS characters.
    """
    pieces: list[str] = []
    size = 0
    try:
        with _deadline(LONGEST_S):
            for piece in template.generate(values):
                size += len(piece)
                if size > MOST_CHARS:
                    raise TemplateFailed(f"longer than {MOST_CHARS} characters")
                pieces.append(piece)
    except _TooLong:
        raise TemplateFailed(f"takes longer than {LONGEST_S:g} s") from None
    except TemplateError as error:
        raise TemplateFailed(" ".join(f"{type(error).__name__}: {error.message or ''}".split())[:200]) from None
    except TemplateFailed:
        raise
    except Exception as error:  # noqa: BLE001  a template may divide by zero; the message may contain a value
        raise TemplateFailed(type(error).__name__) from None
    return "".join(pieces)


@contextmanager
def _deadline(longest_s: float) -> Iterator[None]:
    """Raise _TooLong in this thread at the first line that runs after the deadline. No other thread is affected."""
    end, before = monotonic() + longest_s, sys.gettrace()

    def trace(frame: FrameType, event: str, arg: Any) -> Any:  # noqa: ARG001  the signature of sys.settrace
        if monotonic() > end:
            raise _TooLong
        return trace

    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)
