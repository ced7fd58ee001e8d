import type { AttackCase } from '../case.ts';
import { type RequestCase, requestCase } from '../request-case.ts';
import type { Role, Target } from '../target.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const SHA256 = 'b'.repeat(64);
const XARF = '/feed/ply/xarf';
const MISP = '/feed/ply/misp';
const TAXII = '/taxii2/feeds/collections/ply/objects/';
const TAXII_TYPE = 'application/taxii+json;version=2.1';

const xarf = {
  xarf_version: '4.2.0',
  category: 'infrastructure',
  type: 'botnet',
  source_identifier: '192.0.2.1',
  source_port: 443,
  hash: `sha256:${SHA256}`,
};

/** As many items as fit into the body, in front of its other members. */
function fill(bytes: number, body: object, name: string, item: (index: number) => string): string {
  const rest = JSON.stringify(body).slice(1);
  const items: string[] = [];
  let left = bytes - rest.length - name.length - 16;
  for (let index = 0; left > 0; index += 1) {
    const text = item(index);
    left -= text.length + 1;
    if (left > 0) items.push(text);
  }
  return `{"${name}":[${items.join()}]${rest === '}' ? '' : ','}${rest}`;
}

function nested(start: string, end: string, depth: number): string {
  return `${start.repeat(depth)}0${end.repeat(depth)}`;
}

/** Twice the target: a collection of garbage may fall into the turn. */
const MAX_TURN_MS = 100;

/** Members that are not what they should be. Each must be refused, and none with 500. */
const ODD_VALUES = [
  '{"toString":1}',
  '{"toString":1,"valueOf":1}',
  '{"__proto_":{}}',
  '"toString"',
  '"constructor"',
  '"__proto__"',
  '[["infrastructure"]]',
  nested('[', ']', 5000),
  nested('{"a":', '}', 5000),
  '[]',
  '{}',
  'null',
  '1e400',
];

function odd(
  path: string,
  body: object,
  names: readonly string[],
  status: RequestCase['safe']['status'],
): readonly RequestCase[] {
  return names.flatMap((name) =>
    ODD_VALUES.map((value) => ({
      name: `${path} with ${JSON.stringify(name)}: ${value.slice(0, 30)}`,
      as: 'researcher' as const,
      send: {
        method: 'POST',
        path,
        body: JSON.stringify({ ...body, [name]: '@' }).replace('"@"', () => value),
      },
      safe: { status },
    })),
  );
}

const service = (name: string, members: object): RequestCase => ({
  name: `a service that declares ${name}`,
  as: 'admin',
  send: {
    method: 'POST',
    path: '/admin/services',
    body: JSON.stringify({ slug: 'declared', ...members }),
  },
  safe: { status: 400, code: 'invalid_body', mustMatch: /203\.0\.113\.7|The network is / },
});

const REQUESTS: readonly RequestCase[] = [
  ...odd(
    XARF,
    xarf,
    ['category', 'type', 'xarf_version', 'tags', 'malware_family'],
    [201, 400, 422],
  ),
  ...odd(XARF, { Version: '3' }, ['Version', 'Report'], [400, 422]),
  // Refusals in the form of ThreatFox have status 200.
  ...odd('/threatfox/api/v1/', {}, ['query'], [200, 413]),
  ...odd('/threatfox/api/v1/', { query: 'taginfo', tag: 'a' }, ['tag', 'limit'], [200, 413]),
  ...odd(
    '/threatfox/api/v1/',
    { query: 'malwareinfo', malware: 'a' },
    ['malware', 'limit'],
    [200, 413],
  ),
  ...odd(
    '/threatfox/api/v1/',
    { query: 'submit_ioc', threat_type: 'botnet_cc', iocs: ['45.1.2.3:1'], hash: 'ab'.repeat(32) },
    ['threat_type', 'iocs', 'hash', 'reference', 'malware', 'tags', 'confidence_level', 'service'],
    [200, 404, 413],
  ),
  ...odd(MISP, {}, ['Event', 'Attribute', 'Object', 'Tag'], [400, 422]),
  service('127.1', { hosts: ['127.1'] }),
  service('0x7f000001', { hosts: ['0x7f000001'] }),
  service('names below an address', { hosts: ['*.2.3.4'] }),
  service('1.2.3.4/8', { networks: ['1.2.3.4/8'] }),
  service('2001:db8::1/32', { networks: ['2001:db8::1/32'] }),
  {
    name: 'the reference page, which may load nothing from other hosts',
    send: { path: '/docs' },
    safe: { status: 200, mustNotMatch: /(?:src|href)="(?:https?:)?\/\// },
  },
  {
    name: 'an analysis with settings called toString',
    as: 'admin',
    send: {
      method: 'POST',
      path: '/admin/samples',
      headers: ['Content-Type: application/x-ndjson'],
      body: '{"configs":{"toString":1,"valueOf":1}}',
    },
    safe: { status: 200, mustMatch: /configs must be/ },
  },
];

const FORMULA = "=cmd|'/c calc'!A1";

const formulas: AttackCase = {
  name: 'formulas in the CSV of ThreatFox',
  safe: 'writes them as texts',
  async run(target) {
    await target.client('researcher').createReport('ply', {
      c2Address: '192.0.2.77:443',
      file256Hash: SHA256,
      tags: [FORMULA, '+1', '-1', '@a'],
    });
    const answer = await target.call('reader', '/feed/ply/export/threatfox');
    const text = await answer.text();
    return [
      ...(answer.status === 200 && text.includes('calc') ? [] : [`answered ${answer.status}`]),
      ...(/"[=+@\t\r]|"-[^"]*[|(!]/.test(text) ? ['a cell begins like a formula'] : []),
    ];
  },
};

interface LongBody {
  readonly name: string;
  readonly as?: Role;
  readonly method?: string;
  readonly path: string;
  readonly type?: string;
  readonly statuses: readonly number[];
  readonly body: () => string;
}

const attribute = (index: number) => `{"type":"hostname|port","value":"a${index}.example|443"}`;
const file = { Attribute: [{ type: 'sha256', value: SHA256 }] };

const LONG_BODIES: readonly LongBody[] = [
  {
    name: 'XARF with 1 MiB of tags',
    path: XARF,
    statuses: [400, 422],
    body: () => fill(MIB, xarf, 'tags', (index) => `"t${index}"`),
  },
  {
    name: 'XARF with 19,000 tags',
    path: XARF,
    statuses: [422],
    body: () => fill(164 * KIB, xarf, 'tags', (index) => `"t${index}"`),
  },
  {
    name: 'XARF with 1 MiB of evidence',
    path: XARF,
    statuses: [400],
    body: () => fill(MIB, xarf, 'evidence', () => '{"content_type":"x"}'),
  },
  {
    name: 'XARF with 1 MiB of nested lists',
    path: XARF,
    statuses: [400],
    body: () => `{"category":${nested('[', ']', MIB / 2 - 100)}}`,
  },
  {
    name: 'an event of MISP with 3 MiB of attributes',
    path: MISP,
    statuses: [400, 422],
    body: () => `{"Event":${fill(3 * MIB - 12, {}, 'Attribute', attribute)}}`,
  },
  {
    name: 'an event of MISP with as many different names of members as fit',
    path: MISP,
    statuses: [400],
    body: () => `{"Event":${fill(3 * MIB - 12, {}, 'Attribute', (index) => `{"m${index}":0}`)}}`,
  },
  {
    name: 'an event of MISP with 2,000 names in another script',
    path: MISP,
    statuses: [422],
    body: () => {
      const names = Array.from({ length: 2000 }, (_, index) =>
        attribute(index).replace('"a', '"ü'),
      );
      return `{"Event":{"Attribute":[${[...names, JSON.stringify(file.Attribute[0])].join()}]}}`;
    },
  },
  {
    name: 'an event of MISP with 1,000 reports of 32 tags',
    path: MISP,
    statuses: [200],
    body: () => {
      const tags = Array.from({ length: 32 }, (_, index) => ({ name: `tag-${index}` }));
      const c2s = Array.from({ length: 1000 }, (_, index) => ({
        type: 'hostname|port',
        value: `a${index}.example|443`,
      }));
      return JSON.stringify({ Event: { Tag: tags, Attribute: [...c2s, ...file.Attribute] } });
    },
  },
  {
    name: 'an event of MISP with 3 MiB of tags',
    path: MISP,
    statuses: [400, 422],
    body: () => `{"Event":${fill(3 * MIB - 12, file, 'Tag', () => '{"name":"a"}')}}`,
  },
  {
    name: 'an envelope of TAXII with 2 MiB of numbers',
    path: TAXII,
    type: TAXII_TYPE,
    statuses: [400, 422],
    body: () => fill(2 * MIB, {}, 'objects', () => '0'),
  },
  {
    name: 'an envelope of TAXII with 90,000 labels that are no texts',
    path: TAXII,
    type: TAXII_TYPE,
    statuses: [400, 422],
    body: () => `{"objects":[${fill(180 * KIB, { id: 'a', type: 'b' }, 'labels', () => '0')}]}`,
  },
  {
    name: 'an envelope of TAXII with 2,000 objects of 40 labels that are no texts',
    path: TAXII,
    type: TAXII_TYPE,
    statuses: [400, 422],
    body: () => {
      const object = JSON.stringify({ id: 'a', type: 'b', labels: Array(40).fill(0) });
      return `{"objects":[${Array(2000).fill(object).join()}]}`;
    },
  },
  {
    name: 'a change of status of 1 MiB of ids',
    as: 'owner',
    method: 'PATCH',
    path: '/feed/ply/reports',
    statuses: [400],
    body: () => fill(MIB, { status: 'acknowledged' }, 'ids', () => '0'),
  },
  {
    name: 'a change of status of 10,000 ids that are none',
    as: 'owner',
    method: 'PATCH',
    path: '/feed/ply/reports',
    statuses: [400],
    body: () => JSON.stringify({ status: 'acknowledged', ids: Array(10_000).fill('x') }),
  },
  {
    name: 'a lookup of 64 KiB of hashes',
    path: '/private/samples',
    statuses: [400],
    body: () => fill(64 * KIB, {}, 'hashes', () => '""'),
  },
  {
    name: 'a report with 64 KiB of tags',
    path: '/feed/ply/api',
    statuses: [400],
    body: () => fill(64 * KIB, {}, 'tags', () => '0'),
  },
  {
    name: 'a bulk create whose lines have 64 KiB of tags',
    path: '/feed/ply/reports',
    type: 'application/x-ndjson',
    statuses: [200],
    body: () => `${fill(64 * KIB, {}, 'tags', () => '0')}\n`.repeat(50),
  },
  {
    name: 'a service with 64 KiB of hosts',
    as: 'admin',
    method: 'PATCH',
    path: '/admin/services/ply',
    statuses: [400],
    body: () => fill(64 * KIB, {}, 'hosts', () => '"a"'),
  },
  {
    name: 'an account with 64 KiB of services',
    as: 'admin',
    path: '/admin/accounts',
    statuses: [400],
    body: () => fill(64 * KIB, { name: 'x' }, 'services', () => '"a"'),
  },
  {
    name: 'a webhook with 64 KiB of events',
    as: 'owner',
    path: '/feed/ply/webhooks',
    statuses: [400],
    body: () => fill(64 * KIB, { url: 'https://a.example/' }, 'events', () => '"a"'),
  },
  {
    name: 'an import of analyses with 1 MiB of nested settings',
    as: 'admin',
    path: '/admin/samples',
    type: 'application/x-ndjson',
    statuses: [200],
    body: () => `{"configs":${nested('{"a":', '}', 150_000)}}\n`.repeat(5),
  },
  {
    name: 'an import of analyses with 1 MiB of tags',
    as: 'admin',
    path: '/admin/samples',
    type: 'application/x-ndjson',
    statuses: [200],
    body: () => `${fill(MIB, {}, 'tags', () => '{}')}\n`.repeat(5),
  },
];

/** Five at once, because a server that takes long for one falls behind. */
const AT_ONCE = 5;

async function send(target: Target, { as = 'researcher', ...long }: LongBody, body: string) {
  const { method = 'POST', type = 'application/json' } = long;
  const answer = await target.call(as, long.path, {
    method,
    headers: { 'content-type': type, accept: '*/*' },
    body,
  });
  const text = await answer.text();
  const isBounded = answer.status < 400 || text.length < 10_000;
  return [
    ...(long.statuses.includes(answer.status)
      ? []
      : [`answered ${answer.status}: ${text.slice(0, 200)}`]),
    ...(isBounded ? [] : [`a refusal of ${text.length} characters`]),
  ];
}

function longBody(long: LongBody): AttackCase {
  return {
    name: long.name,
    safe: 'counts a list before it reads the items',
    isLoad: true,
    maxTurnMs: MAX_TURN_MS,
    async run(target) {
      const body = long.body();
      const found = await Promise.all(
        Array.from({ length: AT_ONCE }, () => send(target, long, body)),
      );
      return [...new Set(found.flat())];
    },
  };
}

/** Lists, nested values and odd values in the documents of other programs. */
export const intakes: readonly AttackCase[] = [
  ...REQUESTS.map(requestCase),
  formulas,
  ...LONG_BODIES.map(longBody),
];
