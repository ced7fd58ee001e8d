"""Parses bundles strictly with stix2 and checks them against the schemas of stix2-validator.

Prints a line for each problem. Arguments are the names of the files.
"""

import json
import sys

import stix2
from stix2validator import ValidationOptions, validate_file

OBSERVABLES = ("ipv4-addr", "ipv6-addr", "domain-name", "file", "network-traffic")
# Recommendations that the bundles do not follow, for reasons:
# 103: ids of shared objects are derived from names; 202: OpenCTI shows `based-on`;
# 301: the port of a client is not known; 302: the page of a report has no hash.
EXCEPTIONS = ("{103}", "{202}", "{301}", "{302}")


def problems_of(name):
    with open(name, encoding="utf-8") as file:
        text = file.read()
    bundle = stix2.parse(text, allow_custom=False, version="2.1")
    for item in bundle.objects:
        if item.type in OBSERVABLES:
            members = json.loads(item.serialize())
            del members["id"]
            computed = stix2.parse(members, version="2.1").id
            if computed != item.id:
                yield f"{item.id} should be {computed}"
    result = validate_file(name, ValidationOptions(version="2.1"))
    for one in result.object_results:
        for error in one.errors or []:
            yield str(error)
        for warning in one.warnings or []:
            if not any(code in str(warning) for code in EXCEPTIONS):
                yield str(warning)
    if result.fatal:
        yield str(result.fatal)


for argument in sys.argv[1:]:
    for problem in problems_of(argument):
        print(f"{argument}: {problem}")
