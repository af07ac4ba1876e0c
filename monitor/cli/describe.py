"""Generate docs/cli.md from the table of commands: `python -m monitor.cli.describe [--check]`."""

import inspect
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

import typer
from typer.core import TyperArgument, TyperGroup

from monitor import generated_docs
from monitor.cli.lazy import ENTRIES

NAME: Final = "cli.md"
COMMON_FROM: Final = 20  # an option with one meaning in this many commands is described once
_HEAD: Final = """# Commands

`python -m monitor.cli.describe` generates this page from the program, whose option `--help` prints the same text.

The exit codes are 0 (success), 1 (a finding or a failure that the command checks for), 2 (wrong usage or configuration)
and 3 (no verdict on a change). With `--json` a command prints one JSON document on standard output, and messages on
standard error.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """A command with its words after `driftd`."""

    words: tuple[str, ...]
    command: Any

    @property
    def options(self) -> list[Any]:
        return [param for param in self.command.params if not isinstance(param, TyperArgument) and not param.hidden]

    @property
    def arguments(self) -> list[Any]:
        return [param for param in self.command.params if isinstance(param, TyperArgument)]


def commands() -> Iterator[Described]:
    """Yield every command, in the order of `driftd --help`."""
    for entry in ENTRIES:
        yield from _inside((entry.name,), entry.load())


def markdown() -> str:
    """Return the page: the common options, then one section for each command."""
    every = list(commands())
    counted = Counter(_option(param) for one in every for param in one.options)
    common = [option for option, times in counted.most_common() if times >= COMMON_FROM]
    parts = [
        _HEAD,
        "## Common options\n",
        generated_docs.table(("option", "what"), (option.cells for option in common)),
    ]
    for entry in ENTRIES:
        parts.append(f"\n## driftd {entry.name}\n")
        inside = [one for one in every if one.words[0] == entry.name]
        if inside[0].words != (entry.name,):
            parts.append(f"{entry.help}\n")
        parts += [_section(one, common) for one in inside]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(parts)).rstrip() + "\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Option:
    names: str
    help: str

    @property
    def cells(self) -> tuple[str, str]:
        return self.names, self.help


def _inside(words: tuple[str, ...], command: Any) -> Iterator[Described]:
    if not isinstance(command, TyperGroup):
        yield Described(words=words, command=command)
        return
    context = typer.Context(command, info_name=words[-1])
    for name in command.list_commands(context):
        inner: Any = command.get_command(context, name)
        if not inner.hidden:
            yield from _inside((*words, name), inner)


def _section(one: Described, common: Sequence[_Option]) -> str:
    title = f"### driftd {' '.join(one.words)}\n" if len(one.words) > 1 else ""
    usage = " ".join(["driftd", *one.words, *map(_argument_name, one.arguments), "[OPTIONS]"])
    parts = [title, inspect.cleandoc(one.command.help or ""), "", f"    {usage}", ""]
    own = [_option(param) for param in one.options]
    rows = [*((f"`{_argument_name(param)}`", _with_default(param)) for param in one.arguments)]
    rows += [option.cells for option in own if option not in common]
    if rows:
        parts += [generated_docs.table(("argument or option", "what"), rows), ""]
    if shared := [option.names.split(", ")[0] for option in common if option in own]:
        parts += [f"Common options: {', '.join(shared)}", ""]
    return "\n".join(parts)


def _argument_name(param: Any) -> str:
    name = (param.metavar or param.name).upper().strip("[]").removesuffix("...")
    name += "…" if param.nargs == -1 else ""
    return name if param.required else f"[{name}]"


def _option(param: Any) -> _Option:
    names = ", ".join(f"`{name}`" for name in [*param.opts, *param.secondary_opts])
    return _Option(names=names, help=_with_default(param))


def _with_default(param: Any) -> str:
    """Return the help on one line, with the values of a choice, the default and the environment variable."""
    parts = [" ".join((param.help or "").split())]
    kind = param.type_descriptor.annotation
    if inspect.isclass(kind) and issubclass(kind, Enum):
        parts.append("One of " + ", ".join(f"`{one.value}`" for one in kind) + ".")
    default = param.default.value if isinstance(param.default, Enum) else param.default
    if default is not None and default is not False and default != () and param.show_default is True:
        parts.append(f"Default: `{default:g}`." if isinstance(default, float) else f"Default: `{default}`.")
    if param.required and not isinstance(param, TyperArgument):
        parts.append("Required.")
    if param.envvar:
        parts.append(f"Environment variable: `{param.envvar}`.")
    return " ".join(part for part in parts if part)


def main(arguments: Sequence[str] | None = None) -> int:
    return generated_docs.run("monitor.cli.describe", __doc__, lambda: {NAME: markdown()}, arguments)


if __name__ == "__main__":
    sys.exit(main())
