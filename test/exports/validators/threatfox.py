"""Reads ThreatFox CSV files as importers do, and prints the rows of each as JSON.

Lines are those of `splitlines`, comments start in column 0, and every row must have 15 columns.
"""

import csv
import datetime
import json
import sys

counts = []
for name in sys.argv[1:]:
    with open(name, encoding="utf-8", newline="") as file:
        lines = file.read().splitlines()
    assert all(lines), f"{name} has an empty line"
    rows = list(csv.reader((line for line in lines if line[0] != "#"), strict=True))
    for row in rows:
        assert len(row) == 15, f"{name}: {len(row)} columns"
        datetime.datetime.strptime(row[0], "%Y-%m-%d %H:%M:%S")
        assert row[3] in ("ip:port", "domain", "sha256_hash")
        assert row[8] == "None"
        assert 0 <= int(row[9]) <= 100
        assert int(row[13]) in (0, 1)
        if row[3] == "ip:port":
            host, port = row[2].rsplit(":", 1)
            assert 1 <= int(port) <= 65535
            assert "ipv6" in name or host.count(".") == 3, f"{name}: {host}"
    counts.append(len(rows))
print(json.dumps(counts))
