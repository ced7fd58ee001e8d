"""Prints the hosts that a list blocks in adblockparser. Arguments: list, file of hosts."""

import json
import sys

from adblockparser import AdblockRules

with open(sys.argv[1], encoding="utf-8") as file:
    rules = AdblockRules(file.read().splitlines(), use_re2=False)
with open(sys.argv[2], encoding="utf-8") as file:
    hosts = json.load(file)
print(json.dumps([host for host in hosts if rules.should_block(f"https://{host}/a.js")]))
