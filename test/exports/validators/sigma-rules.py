"""Parses the rules of Sigma with pySigma.

Prints a line for each problem, then the number of rules and their values. Arguments are the names
of the files.
"""

import sys

from sigma.collection import SigmaCollection


def values_of(rule):
    for detection in rule.detection.detections.values():
        for item in detection.detection_items:
            for value in item.value:
                yield f"{rule.logsource.category} {item.field} {value}"


for name in sys.argv[1:]:
    with open(name, encoding="utf-8") as file:
        text = file.read()
    collection = SigmaCollection.from_yaml(text, collect_errors=True)
    for error in collection.errors:
        print(f"{name}: {error}")
    print(f"{len(collection.rules)} rules, {len({rule.id for rule in collection.rules})} ids")
    for rule in collection.rules:
        for value in values_of(rule):
            print(value)
