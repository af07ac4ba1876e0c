"""What differs between the versions of an alert: model, parameters and prompt, with the words marked."""

import streamlit as st

from dashboards.downloads import show_downloads
from dashboards.formatting import plain
from dashboards.panels.text_box import show_both, show_style
from monitor.api.schema.alert_details import AlertDiffItem

NOT_SET = "not set"


def show_diff(found: AlertDiffItem) -> None:
    """Draw each value that differs, and the words of the prompt that differ."""
    if found.from_version is None or found.to_version is None:
        st.caption("This alert is not about two versions.")
        return
    st.markdown(
        f"**{plain(found.from_label or found.from_version)}** → **{plain(found.to_label or found.to_version)}**"
    )
    if not found.differences:
        same = "The version did not change" if found.from_version == found.to_version else "No recorded value differs"
        st.caption(f"{same}: model, parameters and prompt are the same in both.")
        return
    show_style()
    for each in found.differences:
        st.caption(f"{plain(each.name)} ({each.what})")
        before, after = st.columns(2)
        show_both(before, after, each.before or NOT_SET, each.after or NOT_SET)
    _show_prompts(found)
    show_downloads(f"differences of {found.alert_id}", [each.model_dump(mode="json") for each in found.differences])


def _show_prompts(found: AlertDiffItem) -> None:
    if not any(each.what == "prompt" for each in found.differences):
        return
    if found.prompt_before is None or found.prompt_after is None:
        st.caption("The text of the prompt is not stored for both versions, so that no word diff is possible.")
        return
    before, after = st.columns(2)
    before.markdown("**Prompt before**")
    after.markdown("**Prompt now**")
    show_both(before, after, found.prompt_before, found.prompt_after)
