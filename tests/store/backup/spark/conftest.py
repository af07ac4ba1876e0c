collect_ignore = ["program.py"]  # for the Python of Spark
