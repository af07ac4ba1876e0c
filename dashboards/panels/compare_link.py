"""Link from a finding to its cases with both answers."""

import streamlit as st

from dashboards.address import Address
from dashboards.panels.case_links import show_cases_link
from monitor.api.schema import FindingItem


def show_compare_link(finding: FindingItem) -> None:
    """Show the link; nothing for a finding without a comparison."""
    if finding.baseline_run is None or finding.comparison is None:
        return
    address = Address(baseline=finding.baseline_run, candidate=finding.candidate_run, metric=finding.metric)
    st.page_link(
        "screens/compare.py",
        label="Compare the answers, case by case",
        icon=":material/compare_arrows:",
        query_params=address.query(),
    )
    if finding.set_name is not None:
        show_cases_link(
            "Cases that this run newly fails",
            finding.deployment,
            finding.set_name,
            state="newly_failing",
            run=finding.candidate_run,
        )
