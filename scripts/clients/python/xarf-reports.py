"""Validates XARF reports strictly and prints host, port and file of each as JSON.

The values are those of the JSON: the classes of the package want an integer as confidence, although
its schema has a number from 0 to 1.
"""

import json
import sys

import xarf

with open(sys.argv[1], encoding="utf-8") as file:
    reports = json.load(file)["reports"]
lines = []
for report in reports:
    result = xarf.parse(report, strict=True)
    assert not result.errors, result.errors
    assert not result.warnings, result.warnings
    files = [tag.removeprefix("sha256:") for tag in report["tags"] if tag.startswith("sha256:")]
    lines += [f"{report['source_identifier']}:{report['source_port']} {one}" for one in files]
print(json.dumps(lines))
