"""Decides a decision log again with another policy, on as many cores and machines as Spark has.

    spark-submit --py-files policy.py,events.py replay.py policy.wasm 's3a://logs/2026-11-*/*.jsonl.gz' s3a://reports/next

`pip install pyspark pandas pyarrow wasmtime` on each machine. Reads OPA's decision log events and the lines of our ledgers, one a
line. Writes a line of JSON for each event whose answer is another, or cannot be had: the event's id and entrypoint, what was
answered and what would be. Prints how many. Ends with 1 where an event is newly allowed, or cannot be decided again.
"""

import json
import os
import sys

from pyspark import SparkFiles
from pyspark.sql import SparkSession

from events import UNDECIDED, change
from policy import Policy

CHANGES = "change string, decision_id string, path string, was string, now string"


def again(frames):
    import pandas

    with open(SparkFiles.get("policy.wasm"), "rb") as file:
        policy = Policy(file.read())
    for frame in frames:
        rows = [row for row in (change(policy, line) for line in frame["value"] if line.strip()) if row is not None]
        yield pandas.DataFrame(rows, columns=["change", "decision_id", "path", "was", "now"])


def main(module: str, log: str, report: str) -> int:
    spark = SparkSession.builder.appName("portcullis replay").getOrCreate()
    if os.path.basename(module) != "policy.wasm":
        sys.exit("each machine finds the module under its name: call it policy.wasm")
    spark.sparkContext.addFile(module)
    changes = spark.read.text(log).mapInPandas(again, CHANGES).cache()
    counts = {row["change"]: row["count"] for row in changes.groupBy("change").count().collect()}
    changes.where("change <> 'the same'").write.mode("overwrite").json(report)
    print(json.dumps(counts))
    return 1 if counts.keys() & {"newly allowed", UNDECIDED} else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
