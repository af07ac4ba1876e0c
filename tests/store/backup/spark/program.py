"""Read the Parquet files of a folder with Spark, in its own environment. Print rows, types and calls as JSON."""

import json
import sys
from pathlib import Path

from pyspark.sql import SparkSession

folder = Path(sys.argv[1])
spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.ui.enabled", "false")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.sql.session.timeZone", "UTC")
    .getOrCreate()
)
tables = {}
for file in sorted(folder.glob("*.parquet")):
    frame = spark.read.parquet(str(file))
    types = [(field.name, field.dataType.simpleString()) for field in frame.schema.fields]
    tables[file.stem] = {"rows": frame.count(), "types": types}
frame = spark.read.parquet(str(folder / "interaction.parquet"))
calls = [list(row) for row in frame.selectExpr("id", "string(started_at) AS at").orderBy("at").collect()]
sys.stdout.write(json.dumps({"version": spark.version, "tables": tables, "calls": calls}) + "\n")
spark.stop()
