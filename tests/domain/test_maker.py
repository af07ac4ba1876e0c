import pickle
from dataclasses import FrozenInstanceError, dataclass, field, replace

import pytest

from monitor.domain.maker import drafter, maker


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    name: str
    size: int = 1
    marks: dict[str, int] = field(default_factory=dict)


make = maker(Thing)


def test_what_a_maker_makes_is_what_the_class_makes() -> None:
    made = make(name="a", size=2)
    assert made == Thing(name="a", size=2)
    assert type(made) is Thing
    assert pickle.loads(pickle.dumps(made)) == made
    assert replace(made, size=3) == Thing(name="a", size=3)
    assert make(name="a", marks={"x": 1}).marks == {"x": 1}
    with pytest.raises(FrozenInstanceError):
        made.size = 4  # type: ignore[misc]


def test_a_default_that_is_made_is_made_for_each() -> None:
    assert make(name="a").marks == {}
    assert make(name="a").marks is not make(name="b").marks


def test_arguments_are_as_strict_as_the_class_has_them() -> None:
    with pytest.raises(TypeError):
        make()  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        make(name="a", colour="red")  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        make("a")  # type: ignore[call-arg]


def test_a_draft_has_the_defaults_and_ends_frozen() -> None:
    draft = drafter(Thing)()
    draft.name = "a"
    with pytest.raises(AttributeError):
        draft.colour = "red"
    draft.__class__ = Thing
    assert draft == Thing(name="a")
    with pytest.raises(FrozenInstanceError):
        draft.size = 4


def test_a_class_that_works_on_its_fields_is_refused() -> None:
    @dataclass(frozen=True, slots=True)
    class Checked:
        size: int

        def __post_init__(self) -> None:
            raise ValueError("never")

    with pytest.raises(TypeError, match="__post_init__"):
        maker(Checked)
