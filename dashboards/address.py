"""The state of a page in its address, so that it can be shared as a link and survives a reload.

It contains names and ids only, so a link to a case reveals no text of the case.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

import streamlit as st


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """The address of the Compare page, `/compare?baseline=RUN&candidate=RUN&case=ID`; a missing part is None.

    `by` is `versions` when versions were chosen. `metric` decides the flips, and `flipped`, `category` and `failure`
    filter them. `page` is the page of the flipped cases, from 2. `amounts` is `open` while the distributions are drawn.
    """

    baseline: str | None = None
    candidate: str | None = None
    case: str | None = None
    by: str | None = None
    metric: str | None = None
    flipped: str | None = None
    category: str | None = None
    failure: str | None = None
    page: str | None = None
    amounts: str | None = None

    def query(self) -> dict[str, str]:
        return {name: value for name, value in asdict(self).items() if value}


def address_in(query: Mapping[str, str]) -> Address:
    return Address(**{field.name: query.get(field.name) or None for field in fields(Address)})


def current_address() -> tuple[Address, str]:
    """Return the address, and a suffix for widget keys that changes when a link changes the address.

    Widgets with this suffix in their key reset to the values of the address when somebody opens another link. Changes
    that the page itself writes keep the suffix.
    """
    address = address_in(st.query_params)
    if st.session_state.get(_WRITTEN) != address:
        st.session_state[_VISIT] = st.session_state.get(_VISIT, 0) + 1
        st.session_state[_WRITTEN] = address
    return address, f" (visit {st.session_state[_VISIT]})"


def write(address: Address) -> None:
    """Write the current selection into the address bar, so that the page can be shared as a link."""
    st.session_state[_WRITTEN] = address
    if address_in(st.query_params) != address:
        st.query_params.from_dict(address.query())


def keep_in_address(**parts: str | None) -> None:
    """Write these parts into the address of the page; None removes a part. Other parts stay."""
    for name, value in parts.items():
        if value is None:
            st.query_params.pop(name, None)
        elif st.query_params.get(name) != value:
            st.query_params[name] = value


_WRITTEN, _VISIT = "address written", "address visit"
