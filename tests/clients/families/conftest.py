"""The Python of its own environment runs each driver; pytest must not import them."""

collect_ignore_glob = ["*/driver.py", "shared/*.py"]
