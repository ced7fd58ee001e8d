"""Parses a bundle strictly with stix2 and prints the patterns of its indicators as JSON."""

import json
import sys

import stix2

with open(sys.argv[1], encoding="utf-8") as file:
    bundle = stix2.parse(file, allow_custom=False, version="2.1")
print(json.dumps([one.pattern for one in bundle.objects if one.type == "indicator"]))
