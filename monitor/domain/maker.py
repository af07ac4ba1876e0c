"""Makes frozen dataclasses by the thousand: in a third of the time that their own `__init__` takes.

A frozen dataclass sets each field through `object.__setattr__`. A maker fills an object of a class with the same slots
that is not frozen, where setting a field is one instruction, and makes it one of the frozen class at the end.
"""

from collections.abc import Callable
from dataclasses import MISSING, Field, fields, make_dataclass
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def maker(cls: Callable[P, T]) -> Callable[P, T]:
    """What makes a `cls`, a frozen dataclass with slots, from the arguments that `cls` itself takes.

    TypeError for a class that works on its fields once they are set: a maker would leave that out.
    """
    known = _fields(cls)
    star = ["*"] if all(f.kw_only for f in known) else []
    taken = [f.name if _default(f) is MISSING else f"{f.name}=default_{f.name}" for f in known]
    body = [*(f"made.{f.name} = {_value(f)}" for f in known), "made.__class__ = frozen_class"]
    made_by: Callable[P, T] = _function(cls, ", ".join(star + taken), body)
    return made_by


def drafter(cls: Callable[..., Any]) -> Callable[[], Any]:
    """What makes drafts of a `cls`: objects with its defaults, whose fields can be set until they are made a `cls`.

    For a class of many fields, which take longer to be handed over than to be set. `draft.__class__ = cls` ends it.
    """
    defaults = [f for f in _fields(cls) if _default(f) is not MISSING]
    call = {f.name: "()" if f.default is MISSING else "" for f in defaults}
    drafted: Callable[[], Any] = _function(cls, "", [f"made.{n} = default_{n}{made}" for n, made in call.items()])
    return drafted


def _function(cls: Callable[..., Any], taken: str, body: list[str]) -> Any:
    known = _fields(cls)
    names: dict[str, Any] = {f"default_{f.name}": _default(f) for f in known}
    names["new"] = object.__new__
    names["open_class"] = make_dataclass(f"Open{cls.__name__}", [f.name for f in known], slots=True)
    names["frozen_class"] = cls
    source = [f"def make({taken}):", "made = new(open_class)", *body, "return made"]
    exec("\n    ".join(source), names)  # noqa: S102  # from names of fields alone, as dataclasses writes an __init__
    return names["make"]


def _fields(cls: Callable[..., Any]) -> tuple[Field[Any], ...]:
    if hasattr(cls, "__post_init__") or not hasattr(cls, "__slots__"):
        raise TypeError(f"{cls!r} has a __post_init__ or no slots: call it itself")
    return fields(cls)  # type: ignore[arg-type]  # a callable that is a dataclass


def _default(field: Field[Any]) -> Any:
    """The value, what makes one, or MISSING."""
    return field.default_factory if field.default is MISSING else field.default


def _value(field: Field[Any]) -> str:
    if field.default_factory is MISSING:
        return field.name
    return f"default_{field.name}() if {field.name} is default_{field.name} else {field.name}"
