"""Reads a collection with cytaxii2 and prints the newest version of every object as JSON.

The client does not resolve the relative API root of a discovery document, so it gets the address.
"""

import json
import os
import sys

from cytaxii2 import cytaxii2

root = f"{os.environ['RAPSHEET_URL']}/taxii2/"
client = cytaxii2.cytaxii2(root, "any", os.environ["RAPSHEET_TOKEN"])
assert client.discovery_request()["status"]
client.api_root = f"{root}feeds/"
collections = client.collection_request()["response"]["collections"]
collection = next(one["id"] for one in collections if one["title"] == sys.argv[1])
found, page = {}, {}
while page == {} or page["more"]:
    answer = client.poll_request(collection, limit=50, next=page.get("next"))
    assert answer["status"], answer
    page = answer["response"]
    found.update({item["id"]: item for item in page["objects"]})
print(json.dumps(list(found.values())))
