"""Sends every query that threatfox knows, and prints their statuses and the indicators as JSON."""

import asyncio
import json
import os

from threatfox import ThreatFoxClient

FILE = "cd" * 32


async def main():
    url = f"{os.environ['RAPSHEET_URL']}/threatfox/api/v1/"
    async with ThreatFoxClient(api_key=os.environ["RAPSHEET_TOKEN"], url=url) as client:
        iocs = await client.get_iocs(days=7)
        first = iocs["data"][0]
        file = next(one["ioc"] for one in iocs["data"] if one["ioc_type"] == "sha256_hash")
        answers = {
            "get_iocs": iocs,
            "ioc": await client.get_ioc_by_id(int(first["id"])),
            "search_ioc": await client.search_ioc(first["ioc"]),
            "search_hash": await client.search_hash(file),
            "taginfo": await client.query_tag("asyncrat"),
            "malwareinfo": await client.query_malware_iocs("asyncrat"),
            "get_label": await client.search_malware_families("async"),
            "malware_list": await client.get_malware_list(),
            "types": await client.get_ioc_threat_types(),
            "tag_list": await client.get_tag_list(),
            "submit_ioc": await client.submit_iocs(
                "botnet_cc", "domain", "win.asyncrat", ["t1.ply.example:4444"], comment=FILE
            ),
        }
    statuses = {query: answer["query_status"] for query, answer in answers.items()}
    print(json.dumps({"statuses": statuses, "iocs": [one["ioc"] for one in iocs["data"]]}))


asyncio.run(main())
