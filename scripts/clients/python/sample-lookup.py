"""Looks a file up with uncoverit and prints the report and the balance as JSON.

The argument is the hash of a file that the server has. The package has the addresses of its servers
in variables.
"""

import asyncio
import json
import os
import sys

import uncoverit.main as client_module
from uncoverit.main import UncoveritClient

client_module.api_endpoint = f"{os.environ['RAPSHEET_URL']}/private"
client_module.key_endpoint = f"{os.environ['RAPSHEET_URL']}/api"


async def main(known):
    client = await UncoveritClient.create(os.environ["RAPSHEET_TOKEN"])
    async with client:
        balance = client.requests_left
        sample = await client.fetch_static_report(known)
        assert sample.sha256 == known
        assert await client.fetch_static_report("0" * 64) is None
        assert balance - await client.check_balance() == 2
    print(json.dumps({"sample": sample.json_obj, "balance": balance}))


asyncio.run(main(sys.argv[1]))
