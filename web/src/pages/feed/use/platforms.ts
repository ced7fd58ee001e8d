import { type Consumer, quote, type Subject } from './consumer.ts';

const USER = 'rapsheet';

/** Platforms that poll a feed by themselves. */
export function platforms(subject: Subject): readonly Consumer[] {
  return [opencti(subject), elastic(subject), sentinel(subject), taxii(subject), misp(subject)];
}

function opencti({ origin, service }: Subject): Consumer {
  return {
    title: 'OpenCTI',
    note: 'Environment of the TAXII 2 connector (connector-taxii2). It finds the collection by its title.',
    snippets: [
      {
        label: 'docker-compose.yml, environment of the connector',
        text: lines(
          `- TAXII2_DISCOVERY_URL=${origin}/taxii2/`,
          '- TAXII2_V21=true',
          '- TAXII2_USE_TOKEN=true',
          '- TAXII2_TOKEN=$TOKEN',
          `- TAXII2_COLLECTIONS=feeds.${service}`,
          '- TAXII2_INITIAL_HISTORY=2160',
          '- TAXII2_INTERVAL=1',
        ),
      },
    ],
    reads: { format: 'stix' },
  };
}

function elastic({ origin, service }: Subject): Consumer {
  return {
    title: 'Elastic',
    note: 'Integration “Custom Threat Intelligence” (ti_custom). Deleted reports arrive as revoked indicators.',
    snippets: [
      {
        label: 'Settings of “Collect STIX 2.1 IoCs via TAXII 2.1 or API”',
        text: lines(
          `URL: ${origin}/taxii2/feeds/collections/${service}/objects/`,
          'Enable TAXII 2.1: on',
          'Authentication: API key, type Bearer',
          'API key: $TOKEN',
          'Initial interval: 2160h',
          'Interval: 5m',
        ),
      },
    ],
    reads: { format: 'stix', options: { profile: 'indicators' } },
  };
}

function sentinel({ origin, service }: Subject): Consumer {
  return {
    title: 'Microsoft Sentinel',
    note: 'Data connector “Threat intelligence – TAXII”. The server needs a public https address.',
    snippets: [
      {
        label: 'Shell: the id of the collection',
        text: `curl -fsS -u ${USER}:$TOKEN ${quote(`${origin}/taxii2/feeds/collections/${service}/`)}`,
      },
      {
        label: 'Settings of the connector',
        text: lines(
          `Friendly name: Rapsheet ${service}`,
          `API root URL: ${origin}/taxii2/feeds/`,
          'Collection ID: the id from above, not the title',
          `Username: ${USER}`,
          'Password: $TOKEN',
        ),
      },
    ],
    reads: { format: 'stix', options: { profile: 'indicators' } },
  };
}

function misp({ origin, service }: Subject): Consumer {
  const feed = {
    name: `Rapsheet ${service}`,
    provider: 'Rapsheet',
    url: `${origin}/misp/${service}`,
    source_format: 'misp',
    input_source: 'network',
    headers: 'Authorization: Bearer $TOKEN',
    enabled: true,
    distribution: 0,
  };
  return {
    title: 'MISP',
    note: 'An event for each day and each 5,000 reports. In MISP: Sync Actions, Feeds, Import Feeds from JSON; replace $TOKEN.',
    snippets: [{ label: 'JSON to import', text: JSON.stringify([{ Feed: feed }], undefined, 2) }],
    reads: { format: 'misp' },
  };
}

function taxii({ origin, service }: Subject): Consumer {
  return {
    title: 'TAXII 2.1',
    note: 'Any TAXII client. Here with taxii2-client (pip install taxii2-client), which sends the token as a password.',
    snippets: [
      {
        label: 'Python',
        text: lines(
          'import os',
          'from taxii2client.v21 import ApiRoot, as_pages',
          '',
          `root = ApiRoot("${origin}/taxii2/feeds/", user="${USER}", password=os.environ["TOKEN"])`,
          `collection = next(c for c in root.collections if c.title == "${service}")`,
          'for page in as_pages(collection.get_objects, per_request=1000):',
          '    for stix in page.get("objects", []):',
          '        print(stix["id"], stix.get("pattern"))',
        ),
      },
    ],
  };
}

function lines(...all: readonly string[]): string {
  return all.join('\n');
}
