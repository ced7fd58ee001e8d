"""Reads a file of reports with DuckDB and prints three columns as JSON."""

import json
import sys

import duckdb

READERS = {"csv": "read_csv", "ndjson": "read_json"}

table = f"{READERS[sys.argv[1]]}('{sys.argv[2]}')"
query = f"select id::varchar, c2Address, confidenceScore::integer from {table}"
names = ("id", "c2Address", "confidenceScore")
print(json.dumps([dict(zip(names, row)) for row in duckdb.sql(query).fetchall()]))
