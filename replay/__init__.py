"""Replays an eval set against a target and scores every reply. This library does not depend on the daemon."""
