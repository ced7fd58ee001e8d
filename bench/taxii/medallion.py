"""Measures pages a second of medallion with objects in memory, called without a network.

Arguments: a JSON file of {"object", "date_added"} in the order of the dates, objects per page, pages.
Prints the number of pages a second.
"""

import base64
import json
import sys
import time

import medallion

COLLECTION = "6b96a342-4860-4918-bdba-c63dd1c1ca67"
MEDIA_TYPE = "application/stix+json;version=2.1"


def data_of(rows):
    manifest = [
        {
            "id": row["object"]["id"],
            "date_added": row["date_added"],
            "version": row["object"].get("modified", row["object"].get("created")),
            "media_type": MEDIA_TYPE,
        }
        for row in rows
    ]
    collection = {
        "id": COLLECTION,
        "title": "bench",
        "can_read": True,
        "can_write": False,
        "media_types": [MEDIA_TYPE],
        "objects": [row["object"] for row in rows],
        "manifest": manifest,
    }
    information = {"title": "bench", "versions": [MEDIA_TYPE], "max_content_length": 1000000}
    root = {"information": information, "status": [], "collections": [collection]}
    return {"/discovery": {"title": "bench", "api_roots": ["/bench/"]}, "bench": root}


def main(file, size, pages):
    with open(file, encoding="utf-8") as rows:
        data = data_of(json.load(rows))
    with open(file + ".medallion", "w", encoding="utf-8") as target:
        json.dump(data, target)
    app = medallion.application_instance
    backend = {
        "module": "medallion.backends.memory_backend",
        "module_class": "MemoryBackend",
        "filename": file + ".medallion",
    }
    medallion.set_config(app, "backend", {"backend": backend})
    medallion.set_config(app, "users", {"users": {"any": "token"}})
    medallion.set_config(app, "taxii", {"taxii": {"max_page_size": int(size)}})
    medallion.register_blueprints(app)
    client = app.test_client()
    credentials = base64.b64encode(b"any:token").decode()
    headers = {"Authorization": f"Basic {credentials}", "Accept": "application/taxii+json;version=2.1"}
    url = f"/bench/collections/{COLLECTION}/objects/?limit={size}"
    started, count, following = time.perf_counter(), 0, ""
    while count < int(pages):
        answer = client.get(url + following, headers=headers)
        assert answer.status_code == 200, answer.data
        body = json.loads(answer.data)
        count += 1
        if not body.get("more"):
            break
        following = f"&next={body['next']}"
    print(count / (time.perf_counter() - started))


main(*sys.argv[1:])
