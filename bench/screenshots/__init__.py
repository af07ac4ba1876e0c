"""The pictures of the dashboard: pages of running daemons in Chromium."""
