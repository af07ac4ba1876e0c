"""The driftd daemon: from logged interactions to an alert. Start reading at `app.py`, then docs/architecture.md."""
