"""Loads the MISP events of a folder with PyMISP and prints the values of their attributes as JSON."""

import json
import pathlib
import sys

from pymisp import MISPEvent

values = []
for path in pathlib.Path(sys.argv[1]).iterdir():
    event = MISPEvent()
    event.load_file(path)
    nested = [one for item in event.objects for one in item.attributes]
    values += [one.value for one in [*event.attributes, *nested]]
print(json.dumps(sorted(set(values))))
