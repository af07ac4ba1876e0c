"""What the address of the Compare page says: ids alone, so that a link to a case shows nothing of it by itself."""

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """`/compare?baseline=RUN&candidate=RUN&case=ID`; what is not there is None."""

    baseline: str | None = None
    candidate: str | None = None
    case: str | None = None

    def query(self) -> dict[str, str]:
        parts = {"baseline": self.baseline, "candidate": self.candidate, "case": self.case}
        return {name: value for name, value in parts.items() if value}


def address_in(query: Mapping[str, str]) -> Address:
    return Address(**{name: query.get(name) or None for name in ("baseline", "candidate", "case")})


def visited() -> tuple[Address, str]:
    """The address, and a name that is another one whenever it was changed from outside: by a link, not by this page.

    Widgets whose key holds that name begin anew then, with what the address says.
    """
    address = address_in(st.query_params)
    if st.session_state.get(_WRITTEN) != address:
        st.session_state[_VISIT] = st.session_state.get(_VISIT, 0) + 1
        st.session_state[_WRITTEN] = address
    return address, f" (visit {st.session_state[_VISIT]})"


def write(address: Address) -> None:
    """Put what the page shows into the address bar, to be sent to a colleague."""
    st.session_state[_WRITTEN] = address
    if address_in(st.query_params) != address:
        st.query_params.from_dict(address.query())


_WRITTEN, _VISIT = "address written", "address visit"
