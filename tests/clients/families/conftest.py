"""The drivers are run by the python of their own environment, never imported by this one."""

collect_ignore_glob = ["*/driver.py", "shared/*.py"]
