"""Follows a feed with httpx-sse and prints the ids of the first reports as JSON.

Arguments: feed, number of events. The package also gives out blocks without data, which set only
the id; other readers skip them, as the HTML standard says.
"""

import json
import os
import sys

import httpx
from httpx_sse import connect_sse

url = f"{os.environ['RAPSHEET_URL']}/feed/{sys.argv[1]}/stream?since=0"
headers = {"Authorization": f"Bearer {os.environ['RAPSHEET_TOKEN']}"}
ids = []
with httpx.Client(headers=headers, timeout=60) as client, connect_sse(client, "GET", url) as source:
    for event in source.iter_sse():
        if event.data != "":
            ids.append(event.json()["id"])
        if len(ids) == int(sys.argv[2]):
            break
print(json.dumps(ids))
