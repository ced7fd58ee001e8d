"""Loads MISP events from files and prints the number of attributes of each as JSON.

Objects must follow the official templates that PyMISP ships.
"""

import json
import sys

from pymisp import MISPEvent, MISPObject


def check(event):
    """Raises if an object is none of its template, or refers to nothing."""
    ids = {one.uuid for one in event.objects}
    for one in event.objects:
        known = MISPObject(one.name, strict=True)
        known.from_dict(**json.loads(one.to_json()))
        known.to_json(strict=True)
        template = known._definition["attributes"]
        for attribute in one.attributes:
            assert template[attribute.object_relation]["misp-attribute"] == attribute.type
        for reference in one.references:
            assert reference.referenced_uuid in ids, "a reference to an unknown object"


counts = []
for name in sys.argv[1:]:
    event = MISPEvent()
    event.load_file(name)
    event.to_json()
    check(event)
    counts.append(len(event.attributes) + sum(len(one.attributes) for one in event.objects))
print(json.dumps(counts))
