"""Calls five operations with a client that openapi-python-client has generated."""

import importlib
import os
import pkgutil
import sys
from http import HTTPStatus

import rapsheet_client
from rapsheet_client import AuthenticatedClient
from rapsheet_client.api.account import me
from rapsheet_client.api.feeds import create_report, delete_report, fetch_report
from rapsheet_client.api.samples import look_up
from rapsheet_client.models import CreateReportBody

EICAR = "275a021bbfb6489e54d471899f7db9d1663fc695ec2fe2a2c4538aabf651fd0f"
C2 = "tunnel.ply.example:5001"

for module in pkgutil.walk_packages(rapsheet_client.__path__, "rapsheet_client."):
    importlib.import_module(module.name)

client = AuthenticatedClient(
    base_url=os.environ["RAPSHEET_URL"], token=os.environ["RAPSHEET_TOKEN"], raise_on_unexpected_status=True
)


def check(answer, status, text):
    if answer.status_code != status or text not in answer.content.decode():
        sys.exit(f"expected {status} with {text!r}, got {answer.status_code}: {answer.content!r}")
    return answer.parsed


caller = check(me.sync_detailed(client=client), HTTPStatus.OK, "explorer")
assert caller.name == "explorer", caller
body = CreateReportBody(c_2_address=C2, file_256_hash=EICAR, tags=["eicar"])
created = check(create_report.sync_detailed("ply", client=client, body=body), HTTPStatus.CREATED, '"successful":true')
fetched = check(fetch_report.sync_detailed("ply", client=client, report=created.id), HTTPStatus.OK, C2)
assert fetched.report.c_2_address == C2, fetched
analysis = check(look_up.sync_detailed(EICAR, client=client), HTTPStatus.OK, EICAR)
assert analysis.sha_256_hash == EICAR, analysis
check(delete_report.sync_detailed("ply", client=client, report=created.id), HTTPStatus.OK, '"success":true')
refused = check(fetch_report.sync_detailed("ply", client=client, report=created.id), HTTPStatus.NOT_FOUND, "error")
assert refused.successful is False, refused
print("5 operations")
