"""Walks a MISP feed as MISP does, and prints what it holds as JSON.

Usage: misp-feed.py URL TOKEN LAST

Each walk fetches the manifest with the ETag of the one before, and every event whose timestamp has
risen. It ends at the first walk in which nothing changed after it has seen the address LAST.
"""

import json
import sys
import urllib.error
import urllib.request

from pymisp import MISPEvent


def fetch(url, token, etag=None):
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"})
    if etag is not None:
        request.add_header("If-None-Match", etag)
    try:
        with urllib.request.urlopen(request) as response:
            return response.read(), response.headers["ETag"]
    except urllib.error.HTTPError as error:
        if error.code == 304:
            return None, etag
        raise


def load(body):
    event = MISPEvent()
    event.load(body.decode())
    # Raises if a type, a category or a required member is not one of MISP.
    event.to_json()
    return event


def walk(base, token, last):
    stamps, events, etag, walks = {}, {}, None, 0
    while True:
        walks += 1
        body, etag = fetch(f"{base}/manifest.json", token, etag)
        manifest = {} if body is None else json.loads(body)
        risen = [
            (int(entry["timestamp"]), uuid)
            for uuid, entry in manifest.items()
            if int(entry["timestamp"]) > stamps.get(uuid, 0)
        ]
        numbers = [int(entry["timestamp"]) for entry in manifest.values()]
        assert len(numbers) == len(set(numbers)), "two events have the same timestamp"
        for stamp, uuid in sorted(risen):
            events[uuid] = load(fetch(f"{base}/{uuid}.json", token)[0])
            assert events[uuid].uuid == uuid
            stamps[uuid] = stamp
        seen = any(address == last for event in events.values() for address, _ in addresses(event))
        if seen and not risen:
            return walks, events


def addresses(event):
    """The host and port of each object of an address, and whether it is deleted."""
    for one in event.objects:
        if one.name == "ip-port":
            yield "|".join(attribute.value for attribute in one.attributes), one.deleted


def attributes_of(event):
    return event.attributes + [attribute for one in event.objects for attribute in one.attributes]


def pairs(event):
    """The addresses that the files communicate with."""
    by_id = {one.uuid: one for one in event.objects}
    for one in event.objects:
        for reference in one.references:
            if reference.relationship_type == "communicates-with":
                target = by_id[reference.referenced_uuid]
                yield "|".join(attribute.value for attribute in target.attributes)


def hashes_of(events):
    """What PyMISP's own generator writes, without deleted attributes."""
    lines = []
    for uuid, event in events.items():
        for attribute in attributes_of(event):
            if not attribute.deleted:
                lines += [f"{md5},{uuid}" for md5 in attribute.hash_values("md5")]
    return sorted(lines)


def main():
    base, token, last = sys.argv[1:]
    walks, events = walk(base, token, last)
    served = fetch(f"{base}/hashes.csv", token)[0].decode().splitlines()
    attributes = [one for event in events.values() for one in attributes_of(event)]
    values = lambda deleted: sorted(
        address for event in events.values() for address, gone in addresses(event) if gone == deleted
    )
    result = {
        "walks": walks,
        "events": len(events),
        "addresses": values(False),
        "paired": sorted(address for event in events.values() for address in pairs(event)),
        "deleted": values(True),
        "detectedAmongDeleted": sum(one.to_ids for one in attributes if one.deleted),
        "hashesAgree": sorted(served) == hashes_of(events),
    }
    print(json.dumps(result))


main()
