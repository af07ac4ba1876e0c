"""Terminal output of the deciding test of a finding."""

from monitor.alerting.decided_text import decided_rows, headline, moved_rows
from monitor.api.schema import DecidingTestItem
from monitor.cli.terminal.output import print_facts, print_line


def print_decided(decided: DecidingTestItem) -> None:
    """Print the same sentences as the alert, from the same numbers."""
    part = decided.model_dump()
    effect = headline(part)
    if decided.effect is not None and effect is not None:
        print_line(effect)
    print_facts([*(("moved", row) for row in moved_rows(part)), *decided_rows(part, "")])
