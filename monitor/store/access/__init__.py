"""Who may use driftd, and what they did."""
