"""Widgets whose value is in the address, for pages that link to themselves.

After a link to the same page, Streamlit runs the page with the parameters of the link but leaves the address bar as it
was, and a parameter that is bound to a widget could not be corrected. Such a page calls `show_address` first. These
widgets read the address when they are drawn first, and write it on each run.
"""

from collections.abc import Callable, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboards.address import keep_in_address


def show_address() -> None:
    """Write the parameters of this run into the address bar, so that a reload and a copied link open the same state.

    After a link, the widgets of the page start again with the values of the address.
    """
    found = st.query_params.to_dict()
    if st.session_state.get(_WRITTEN) != found:
        st.session_state[_VISIT] = st.session_state.get(_VISIT, 0) + 1
    st.query_params.from_dict(found)
    st.session_state[_WRITTEN] = found


def linked_segments(
    where: DeltaGenerator,
    label: str,
    options: Sequence[str],
    *,
    name: str,
    format_func: Callable[[str], str] = str,
    visible: bool = True,
) -> str:
    """Draw one button an option, and return the chosen one. The first option is the default."""
    chosen = where.segmented_control(
        label,
        options,
        default=_first(name, options),
        key=_key(name),
        required=True,
        format_func=format_func,
        label_visibility="visible" if visible else "collapsed",
    )
    return _kept(name, chosen or options[0], options[0])


def linked_select(
    where: DeltaGenerator,
    label: str,
    options: Sequence[str],
    *,
    name: str,
    format_func: Callable[[str], str] = str,
    hint: str | None = None,
) -> str:
    """Draw a selection box, and return the chosen option. The first option is the default."""
    at = options.index(_first(name, options))
    chosen = where.selectbox(label, options, index=at, key=_key(name), format_func=format_func, help=hint)
    return _kept(name, chosen, options[0])


def linked_pills(where: DeltaGenerator, label: str, options: Sequence[str], *, name: str, hint: str) -> tuple[str, ...]:
    """Draw one button an option, of which any number can be chosen, and return the chosen ones in their order."""
    linked = st.query_params.get(name, "").split(SEPARATOR)
    default = [option for option in options if option in linked]
    chosen = where.pills(label, options, selection_mode="multi", default=default, key=_key(name), help=hint)
    found = tuple(option for option in options if option in chosen)
    _kept(name, SEPARATOR.join(found), "")
    return found


def linked_text(where: DeltaGenerator, label: str, *, name: str, placeholder: str) -> str:
    """Draw a text field, and return its text without spaces at the ends."""
    value = st.query_params.get(name, "")[:MOST_CHARACTERS]
    text = where.text_input(label, value, key=_key(name), placeholder=placeholder, max_chars=MOST_CHARACTERS)
    return _kept(name, text.strip(), "")


def keep_linked(**parts: str | None) -> None:
    """Write these parts into the address, as these widgets do: the next run is not one after a link."""
    keep_in_address(**parts)
    st.session_state[_WRITTEN] = st.query_params.to_dict()


MOST_CHARACTERS = 200
SEPARATOR = ","  # of several values of one part of the address


def _first(name: str, options: Sequence[str]) -> str:
    linked = st.query_params.get(name)
    return linked if linked is not None and linked in options else options[0]


def _key(name: str) -> str:
    """Return a key that is new after each link: a browser may send the old value of a widget with the link."""
    return f"{name} of visit {st.session_state[_VISIT]}"


def _kept(name: str, value: str, default: str) -> str:
    keep_linked(**{name: None if value == default else value})
    return value


_WRITTEN, _VISIT = "address of the page", "visit of the page"
