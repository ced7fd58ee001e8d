"""Prints the hosts that a list blocks in the engine of Brave. Arguments: list, file of hosts."""

import json
import sys

import braveblock

with open(sys.argv[1], encoding="utf-8") as file:
    engine = braveblock.Adblocker(rules=file.read().splitlines())
with open(sys.argv[2], encoding="utf-8") as file:
    hosts = json.load(file)


def is_blocked(host):
    return engine.check_network_urls(
        url=f"https://{host}/a.js", source_url="https://page.example/", request_type="script"
    )


print(json.dumps([host for host in hosts if is_blocked(host)]))
