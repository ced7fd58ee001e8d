"""Parses the rules of Sigma with pySigma and prints the values of each as JSON."""

import json
import sys

from sigma.collection import SigmaCollection

with open(sys.argv[1], encoding="utf-8") as file:
    collection = SigmaCollection.from_yaml(file.read(), collect_errors=True)
assert not collection.errors, collection.errors
rules = []
for rule in collection.rules:
    items = [one for part in rule.detection.detections.values() for one in part.detection_items]
    rules.append(" ".join(str(value) for item in items for value in item.value))
print(json.dumps(rules))
