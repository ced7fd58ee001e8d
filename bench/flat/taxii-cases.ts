import { reportedAt } from '../fill.ts';
import { spread } from '../requests.ts';
import type { FlatServer } from './client.ts';
import type { FlatCase } from './flat-case.ts';

const TAXII = 'application/taxii+json;version=2.1';
const OBJECTS = '/taxii2/feeds/collections/ply/objects/';
const MANIFEST = '/taxii2/feeds/collections/ply/manifest/';

/** The first objects of the collection, repeated. */
async function objectIds(server: FlatServer, calls: number): Promise<readonly string[]> {
  const { objects } = await server.json({ path: `${OBJECTS}?limit=100&match[type]=indicator` });
  const ids = (objects as { id: string }[]).map(({ id }) => id);
  return Array.from({ length: calls }, (_, index) => ids[index % ids.length] ?? '');
}

async function statusIds(server: FlatServer, calls: number): Promise<readonly string[]> {
  const { id } = await server.json({ method: 'POST', path: OBJECTS, ...envelope(0) });
  return Array.from({ length: calls }, () => String(id));
}

/** An envelope with one indicator, which is new for every number. */
function envelope(number: number): { readonly type: string; readonly body: string } {
  const id = number.toString(16).padStart(12, '0');
  const sha256 = number.toString(16).padStart(64, 'f');
  const object = {
    type: 'indicator',
    spec_version: '2.1',
    id: `indicator--5b0d2a3c-3c5f-4d5e-8f0a-${id}`,
    created: '2026-08-26T10:00:00.000Z',
    modified: '2026-08-26T10:00:00.000Z',
    pattern_type: 'stix',
    pattern: `[network-traffic:dst_ref.value = 'c${number}.evil.example' AND network-traffic:dst_port = 4444] AND [file:hashes.'SHA-256' = '${sha256}']`,
    valid_from: '2026-08-26T10:00:00.000Z',
  };
  return { type: TAXII, body: JSON.stringify({ objects: [object] }) };
}

/** A page that starts anywhere in the feed. */
function pageAt(path: string): FlatCase {
  return {
    call: ({ number, server }) => {
      const after = reportedAt(101 + (spread(number, server.count) % (server.count - 101)));
      return { path: `${path}?limit=100&added_after=${after.toISOString()}` };
    },
  };
}

export const taxiiCases: Readonly<Record<string, FlatCase>> = {
  taxiiDiscovery: { call: () => ({ path: '/taxii2/' }) },
  taxiiApiRoot: { call: () => ({ path: '/taxii2/feeds/' }) },
  taxiiCollections: { call: () => ({ path: '/taxii2/feeds/collections/' }) },
  taxiiCollection: { call: () => ({ path: '/taxii2/feeds/collections/ply/' }) },
  taxiiObjects: pageAt(OBJECTS),
  taxiiManifest: pageAt(MANIFEST),
  taxiiObject: { prepare: objectIds, call: ({ id }) => ({ path: `${OBJECTS}${id}/` }) },
  taxiiVersions: { prepare: objectIds, call: ({ id }) => ({ path: `${OBJECTS}${id}/versions/` }) },
  taxiiStatus: { prepare: statusIds, call: ({ id }) => ({ path: `/taxii2/feeds/status/${id}/` }) },
  taxiiAddObjects: {
    call: ({ number }) => ({ method: 'POST', path: OBJECTS, ...envelope(1 + number) }),
  },
};
