"""Follows a feed with sseclient-py and prints the ids of the first reports as JSON.

Arguments: feed, number of events.
"""

import json
import os
import sys

import requests
import sseclient

url = f"{os.environ['RAPSHEET_URL']}/feed/{sys.argv[1]}/stream?since=0"
headers = {"Authorization": f"Bearer {os.environ['RAPSHEET_TOKEN']}"}
ids = []
with requests.get(url, headers=headers, stream=True, timeout=60) as response:
    for event in sseclient.SSEClient(response).events():
        ids.append(json.loads(event.data)["id"])
        if len(ids) == int(sys.argv[2]):
            break
print(json.dumps(ids))
