"""Loads MISP events from files and prints the number of attributes of each as JSON."""

import json
import sys

from pymisp import MISPEvent

counts = []
for name in sys.argv[1:]:
    event = MISPEvent()
    event.load_file(name)
    event.to_json()
    counts.append(len(event.attributes))
print(json.dumps(counts))
