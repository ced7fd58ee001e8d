"""Reads a collection with taxii2-client while others write and delete.

Arguments: URL of the server, token, title of the collection. Walks the collection, waits for a line
on standard input, reads what was added since, and prints the newest version of every object.
"""

import json
import sys
from urllib.parse import urljoin

import stix2
from taxii2client.v21 import Server, as_pages

C2 = "[network-traffic:dst_ref.value = 'c2.evil.example' AND network-traffic:dst_port = 4444]"
FILE = "[file:hashes.'SHA-256' = '%s']" % ("ab" * 32)


def collection_of(url, token, title):
    # The client sends no credentials if either half is empty.
    server = Server(urljoin(url, "/taxii2/"), user="any", password=token)
    return next(one for one in server.default.collections if one.title == title)


def walk(collection, found, **filters):
    for page in as_pages(collection.get_objects, per_request=50, **filters):
        for item in page.get("objects", []):
            known = found.get(item["id"], {})
            if item.get("modified", "") >= known.get("modified", ""):
                found[item["id"]] = item


def check(collection, found):
    rows = [row for page in as_pages(collection.get_manifest, per_request=100) for row in page["objects"]]
    dates = [row["date_added"] for row in rows]
    assert dates == sorted(dates), "the manifest is not in order"
    assert {row["id"] for row in rows} == set(found), "the manifest has other objects"
    indicator = next(item for item in found.values() if item["type"] == "indicator")
    assert collection.get_object(indicator["id"])["objects"] == [indicator]
    assert collection.object_versions(indicator["id"])["versions"] == [indicator["modified"]]
    for item in found.values():
        stix2.parse(item, allow_custom=False, version="2.1")


def submit(collection):
    indicator = stix2.v21.Indicator(pattern=f"{C2} AND {FILE}", pattern_type="stix")
    status = collection.add_objects({"objects": [json.loads(indicator.serialize())]})
    assert (status.total_count, status.success_count) == (1, 1), status.failures
    status.refresh()
    assert status.status == "complete"
    [details] = status.successes
    assert details["id"] == indicator.id
    for published in details["x_rapsheet_ids"]:
        [found] = collection.get_object(published)["objects"]
        assert found["id"] == published and not found.get("revoked")
    collection.delete_object(details["x_rapsheet_ids"][0])
    for published in details["x_rapsheet_ids"]:
        assert collection.get_object(published)["objects"][0]["revoked"]


def main(url, token, title):
    collection = collection_of(url, token, title)
    found = {}
    walk(collection, found)
    print("walked", file=sys.stderr, flush=True)
    sys.stdin.readline()
    last = max(item["modified"] for item in found.values() if item["type"] == "indicator")
    walk(collection, found, added_after=last)
    check(collection, found)
    json.dump(list(found.values()), sys.stdout)
    submit(collection)


main(*sys.argv[1:])
