import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { sha256Of } from '../../builders.ts';
import { openRig } from '../http-rig.ts';

const rig = await openRig({ exports: {} });
after(() => rig.close());

const { token } = await rig.researcher();
const A = sha256Of('misp a');
const B = sha256Of('misp b');
const LINK = 'https://lab.example/asyncrat';

let last = 0;

/** A UUID that no other attribute has. */
function uuid(): string {
  last += 1;
  return `5f7d1d2e-0000-4000-8000-${String(last).padStart(12, '0')}`;
}

function attribute(type: string, value: unknown, more: Record<string, unknown> = {}) {
  return { uuid: uuid(), type, value, to_ids: true, deleted: false, ...more };
}

const tag = (name: string) => ({ name });

function event(...attributes: readonly unknown[]) {
  return { Event: { uuid: uuid(), info: 'AsyncRAT', Attribute: attributes } };
}

function object(attributes: readonly unknown[], more: Record<string, unknown> = {}) {
  return { uuid: uuid(), name: 'ip-port', Attribute: attributes, ...more };
}

function send(service: string, body: unknown, headers: Record<string, string> = {}) {
  return rig.ask('POST', `/feed/${service}/misp`, { token, body, headers });
}

interface Line {
  readonly line: number;
  readonly c2Address: string;
  readonly file256Hash: string;
  readonly id: string;
  readonly replayed?: true;
  readonly code?: string;
  readonly successful: boolean;
}

function linesOf(text: string): readonly Line[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);
}

async function created(service: string, body: unknown, headers: Record<string, string> = {}) {
  const { status, text } = await send(service, body, headers);
  assert.equal(status, 200, text);
  return linesOf(text);
}

/** The C2s and files of the reports that an event creates. */
async function pairs(body: unknown): Promise<readonly string[]> {
  const lines = await created(await rig.service(), body);
  assert.ok(lines.every(({ successful }) => successful));
  return lines.map(({ c2Address, file256Hash }) => `${c2Address} ${file256Hash}`);
}

async function refusal(body: unknown): Promise<string> {
  const { status, json, headers, text } = await send(await rig.service(), body);
  assert.equal(status, 422, text);
  assert.equal(headers['x-error-code'], 'invalid_misp');
  return (json as { error: string }).error;
}

describe('a MISP event', () => {
  it('becomes a report with its tags, link and confidence', async () => {
    const service = await rig.service({ confidenceScale: 8 });
    const c2 = attribute('hostname|port', 'C2.Ply.example|4444', {
      Tag: [tag('misp-galaxy:malpedia="AsyncRAT"'), tag('tlp:amber')],
    });
    const body = event(
      c2,
      attribute('filename|sha256', `evil|name.exe|${A.toUpperCase()}`),
      attribute('link', LINK, { category: 'External analysis', to_ids: false }),
      attribute('url', 'https://ply.example/x'),
    );
    const Tag = [
      tag('tlp:clear'),
      tag('misp:confidence-level="usually-confident"'),
      tag('asyncrat'),
      tag('rat'),
      tag('x'.repeat(65)),
      { name: 'ours', local: true },
    ];
    const { status, text, headers } = await send(service, { Event: { ...body.Event, Tag } });
    assert.equal(status, 200, text);
    assert.equal(headers['content-type'], 'application/x-ndjson');
    const [line, ...others] = linesOf(text);
    assert.ok(line);
    assert.deepEqual(others, []);
    const { id, ...rest } = line;
    assert.deepEqual(rest, {
      line: 1,
      c2Address: 'c2.ply.example:4444',
      file256Hash: A,
      successful: true,
    });
    const report = await rig.fetched(service, id);
    assert.equal(report.c2Address, 'c2.ply.example:4444');
    assert.equal(report.file256Hash, A);
    assert.deepEqual(report.tags, ['AsyncRAT', 'rat']);
    assert.equal(report.referenceLink, LINK);
    assert.equal(report.confidenceScore, 6);
  });

  it('may be the content of the event, with addresses of version 6', async () => {
    const { Event } = event(attribute('ip-dst|port', '2a01:db8::7|443'), attribute('sha256', A));
    assert.deepEqual(await pairs(Event), [`[2a01:db8::7]:443 ${A}`]);
  });

  it('ties one file to all C2s, and one C2 to all files', async () => {
    const c2s = ['45.7.113.7|1', '45.7.113.7|2'].map((value) => attribute('ip-dst|port', value));
    assert.deepEqual(await pairs(event(...c2s, attribute('sha256', A))), [
      `45.7.113.7:1 ${A}`,
      `45.7.113.7:2 ${A}`,
    ]);
    const files = [A, B, A].map((value) => attribute('sha256', value));
    assert.deepEqual(await pairs(event(attribute('domain|port', 'c2.example|1'), ...files)), [
      `c2.example:1 ${A}`,
      `c2.example:1 ${B}`,
    ]);
  });

  it('ties what is in one object, or in objects with a reference', async () => {
    const port = (value: unknown) =>
      attribute('port', value, { object_relation: 'dst-port', to_ids: false });
    const file = object([attribute('sha256', B)]);
    const single = attribute('ip-src|port', '45.7.113.9|9');
    const objects = [
      object([
        attribute('ip-dst', '45.7.113.7', { object_relation: 'ip-dst' }),
        attribute('hostname', 'victim.example', { object_relation: 'hostname-src' }),
        attribute('port', '50000', { object_relation: 'src-port' }),
        port('4444'),
        attribute('sha256', A),
      ]),
      object([attribute('hostname', 'c2.example', { object_relation: 'hostname' }), port(8080)], {
        ObjectReference: [{ referenced_uuid: file.uuid, relationship_type: 'communicates-with' }],
      }),
      { ...file, ObjectReference: [{ referenced_uuid: single.uuid }] },
      object([attribute('sha256', sha256Of('dropped'))]),
    ];
    assert.deepEqual(await pairs({ Event: { Attribute: [single], Object: objects } }), [
      `45.7.113.7:4444 ${A}`,
      `c2.example:8080 ${B}`,
      `45.7.113.9:9 ${B}`,
    ]);
  });

  it('is stored without what is deleted or not for detection', async () => {
    const body = event(
      attribute('ip-dst|port', '45.7.113.7|1'),
      attribute('ip-dst|port', '45.7.113.7|2', { to_ids: false }),
      attribute('ip-dst|port', '45.7.113.7|3', { deleted: true }),
      attribute('ip-dst|port', '45.7.113.7|4', { deleted: '1' }),
      attribute('sha256', B, { to_ids: '0' }),
      attribute('sha256', A),
    );
    const gone = object([attribute('sha256', B)], { deleted: true });
    const found = await pairs({ Event: { ...body.Event, Object: [gone] } });
    assert.deepEqual(found, [`45.7.113.7:1 ${A}`]);
  });

  it('creates nothing twice when it is sent again, even with other tags', async () => {
    const service = await rig.service();
    const c2 = attribute('ip-dst|port', '45.7.113.7|1');
    const file = attribute('sha256', A);
    const [first] = await created(service, event(c2, file));
    const more = attribute('ip-dst|port', '45.7.113.7|2');
    const edited = event(more, { ...c2, Tag: [tag('rat')] }, file);
    const again = await created(service, edited);
    assert.deepEqual(
      again.map(({ replayed = false }) => replayed),
      [false, true],
    );
    assert.equal(again[1]?.id, first?.id);
    // Another value is another report.
    const moved = await created(service, event({ ...c2, value: '45.7.113.8|1' }, file));
    assert.equal(moved[0]?.replayed, undefined);
    // A key of the request comes first.
    const keyed = await created(service, edited, { 'idempotency-key': '"k"' });
    assert.ok(keyed.every(({ replayed, id }) => replayed === undefined && id !== first?.id));
    const repeated = await created(service, edited, { 'idempotency-key': '"k"' });
    assert.deepEqual(
      repeated.map(({ id }) => id),
      keyed.map(({ id }) => id),
    );
    const other = await created(service, event(c2, file), { 'idempotency-key': '"k"' });
    assert.equal(other[0]?.code, 'idempotency_key_reused');
  });

  it('may be our own export, or our own event of a day', async () => {
    const from = await rig.service();
    const sent = [
      { c2Address: 'a.example:1', file256Hash: A, tags: ['rat'], confidenceScore: 90 },
      { c2Address: '[2a01:db8::7]:2', file256Hash: B, referenceLink: LINK, confidenceScore: 10 },
      { c2Address: 'a.example:1', file256Hash: B, tags: ['report; confidence 1 of 1'] },
    ];
    for (const body of sent)
      assert.equal((await rig.ask('POST', `/feed/${from}/api`, { token, body })).status, 201);
    const manifest = await rig.ask('GET', `/misp/${from}/manifest.json`, { token });
    const [day] = Object.keys(manifest.json as object);
    for (const path of [`/feed/${from}/export/misp`, `/misp/${from}/${day}.json`]) {
      const to = await rig.service();
      const { json, status } = await rig.ask('GET', path, { token });
      assert.equal(status, 200);
      const lines = await created(to, json);
      assert.equal(lines.length, sent.length);
      for (const [index, { id }] of lines.entries()) {
        const report = await rig.fetched(to, id);
        assert.deepEqual({ ...report, tags: [], confidenceScore: 50, ...sent[index] }, report);
      }
      const again = await created(to, json);
      assert.ok(again.every(({ replayed }) => replayed));
    }
  });

  it('may be our own export with as many reports as an event may have', async () => {
    const from = await rig.service();
    const lines = Array.from({ length: 1000 }, (_, index) => ({
      c2Address: `host-${index}.example:443`,
      file256Hash: sha256Of(`misp ${index}`),
      tags: ['asyncrat', 'rat'],
      referenceLink: `${LINK}/${index}`,
    }));
    assert.equal((await rig.bulk(from, token, lines)).status, 200);
    const { json } = await rig.ask('GET', `/feed/${from}/export/misp`, { token });
    const to = await rig.service();
    const made = await created(to, json);
    assert.deepEqual(
      made.map(({ c2Address, file256Hash }) => [c2Address, file256Hash]),
      lines.map(({ c2Address, file256Hash }) => [c2Address, file256Hash]),
    );
    const report = await rig.fetched(to, made[999]?.id ?? '');
    assert.equal(report.referenceLink, `${LINK}/999`);
  });

  it('does not get the link of a report that is not for detection', async () => {
    const [from, to] = [await rig.service(), await rig.service()];
    const owner = await rig.owner(from);
    const rejected = { c2Address: 'a.example:1', file256Hash: A, referenceLink: LINK };
    const id = await rig.report(from, token, rejected);
    await rig.report(from, token, { c2Address: 'b.example:1', file256Hash: B });
    await rig.answer(from, id, owner.token, { status: 'rejected', reason: 'duplicate' });
    const { json } = await rig.ask('GET', `/feed/${from}/export/misp`, { token });
    const { Object: objects, ...others } = (json as { Event: { Object: { name: string }[] } })
      .Event;
    // Without the link of the other report.
    const body = { Event: { ...others, Object: objects.filter((_, index) => index !== 5) } };
    const made = await created(to, body);
    assert.deepEqual(
      made.map(({ c2Address }) => c2Address),
      ['b.example:1'],
    );
    assert.notEqual((await rig.fetched(to, made[0]?.id ?? '')).referenceLink, LINK);
  });

  it('is refused for readers, without a token and in other media types', async () => {
    const service = await rig.service();
    const url = `/feed/${service}/misp`;
    const body = event(attribute('ip-dst|port', '45.7.113.7|1'), attribute('sha256', A));
    const { token: reader } = await rig.reader();
    assert.equal((await rig.ask('POST', url, { token: reader, body })).status, 403);
    assert.equal((await rig.ask('POST', url, { body })).status, 401);
    const headers = { 'content-type': 'text/plain' };
    const payload = JSON.stringify(body);
    assert.equal((await rig.ask('POST', url, { token, payload, headers })).status, 415);
    assert.equal((await send('no-such-service', body)).status, 404);
  });
});

const c2 = attribute('ip-dst|port', '45.7.113.7|1');
const file = attribute('sha256', A);

describe('a MISP event that is wrong', () => {
  const wrong: Readonly<Record<string, readonly [unknown, RegExp]>> = {
    'is a list': [[event(c2, file)], /^The body must be one MISP event/],
    'is the answer of a search': [{ response: [event(c2, file)] }, /^The body must be one MISP/],
    'has no attributes': [{ Event: { info: 'x' } }, /^The body must be one MISP event/],
    'is no object': [{ Event: 'x' }, /^The body must be one MISP event/],
    'has attributes that are no list': [{ Attribute: {} }, /^Attribute must be a list/],
    'has an attribute that is no object': [{ Attribute: [c2, 'x'] }, /^Attribute\[1\] must be an/],
    'has an object that is none': [{ Object: [null] }, /^Object\[0\] must be an object/],
    'has references that are no list': [
      { Object: [object([], { ObjectReference: 1 })] },
      /^Object\[0\]\.ObjectReference must be a list/,
    ],
    'has no C2': [event(file), /^The event has no C2: it needs an attribute ip-dst\|port/],
    'has no file': [event(c2, attribute('md5', 'x')), /^The event has no file: it needs/],
    'has only what is deleted': [event({ ...c2, deleted: true }, file), /^The event has no C2/],
    'has a C2 without a port': [
      event(attribute('ip-dst|port', '45.7.113.7'), file),
      /^Attribute\[0\]: the value of ip-dst\|port must be "<host>\|<port>"/,
    ],
    'has a C2 that is no text': [event(attribute('ip-dst|port', {}), file), /^Attribute\[0\]/],
    'has a port that is none': [event(attribute('hostname|port', 'a|65536'), file), /^Attribute/],
    'has a host with a line break': [event(attribute('hostname|port', 'a\nb|1'), file), /^Attrib/],
    'has a hash that is none': [
      event(c2, attribute('sha256', 'abc')),
      /^Attribute\[1\]: the value of sha256 must end with 64 hexadecimal digits/,
    ],
    'has an object of several hosts and ports': [
      {
        Object: [
          object([
            ...['a.example', 'b.example'].map((value) => attribute('hostname', value)),
            ...[1, 2].map((value) => attribute('port', value, { object_relation: 'dst-port' })),
          ]),
        ],
        Attribute: [file],
      },
      /^Object\[0\] has 2 hosts and 2 ports: make an object for each C2/,
    ],
    'has an object with a port that is none': [
      {
        Object: [
          object([
            attribute('hostname', 'a.example'),
            attribute('port', 'x', { object_relation: 'dst-port' }),
          ]),
        ],
      },
      /^Object\[0\]\.Attribute\[0\] and Object\[0\]\.Attribute\[1\] must be a DNS name/,
    ],
    'leaves open which file contacts which C2': [
      event(c2, attribute('ip-dst|port', '45.7.113.8|1'), file, attribute('sha256', B)),
      /^Attribute\[0\]: the event has 2 C2s and 2 files, and nothing says .* Put both in one object/,
    ],
    'has many wrong values': [
      event(...Array.from({ length: 9 }, () => attribute('sha256', 'x'))),
      /^(?:Attribute\[\d\][^[]*){5}… and 4 more\.$/,
    ],
  };
  for (const [what, [body, text]] of Object.entries(wrong)) {
    it(`is refused if it ${what}`, async () => {
      assert.match(await refusal(body), text);
    });
  }
});

describe('a hostile MISP event', () => {
  const c2s = (count: number, value = (index: number) => `45.7.113.7|${index + 1}`) =>
    Array.from({ length: count }, (_, index) => ({ type: 'ip-dst|port', value: value(index) }));

  it('has at most 1000 reports', async () => {
    const most = await pairs({ Attribute: [...c2s(1000), file] });
    assert.equal(most.length, 1000);
    assert.match(await refusal({ Attribute: [...c2s(1001), file] }), /more than 1000 pairs/);
    const square = c2s(2500);
    const files = Array.from({ length: 2000 }, (_, index) => ({
      type: 'sha256',
      value: sha256Of(`square ${index}`),
    }));
    assert.match(await refusal({ Object: [{ Attribute: [...square, ...files] }] }), /more than/);
  });

  it('is not read for long, however often it repeats itself', async () => {
    const hub = uuid();
    const same = { type: 'sha256', value: A };
    const bodies: readonly unknown[] = [
      { Attribute: [...c2s(4900, () => '45.7.113.7|1'), { ...same, value: 'x' }] },
      {
        Object: [
          { uuid: hub, Attribute: Array.from({ length: 2000 }, () => same) },
          ...Array.from({ length: 900 }, () => ({
            Attribute: c2s(1, () => '45.7.113.7|1'),
            ObjectReference: [{ referenced_uuid: hub }],
          })),
        ],
      },
      {
        Tag: Array.from({ length: 20_000 }, (_, index) => tag(`t${index}`)),
        Attribute: [...c2s(1000), { ...same, value: 'x' }],
      },
      { Attribute: [{ ...c2, comment: 'confidence 1 of 1; '.repeat(80_000) }, { type: 'sha256' }] },
      { Attribute: Array.from({ length: 40_000 }, () => ({})) },
    ];
    for (const body of bodies) {
      // Processor time, which other processes do not lengthen.
      const started = process.threadCpuUsage();
      await refusal(body);
      const { user, system } = process.threadCpuUsage(started);
      assert.ok(user + system < 500_000, `${user + system} µs`);
    }
  });

  it('may be deep, and is refused above 3 MiB', async () => {
    const depth = 200_000;
    const deep = `{"Attribute":[],"x":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    const url = `/feed/${await rig.service()}/misp`;
    const headers = { 'content-type': 'application/json' };
    const { status } = await rig.ask('POST', url, { token, payload: deep, headers });
    assert.ok(status === 422 || status === 400, String(status));
    const large = { Attribute: [c2, file], info: 'x'.repeat(3 * 1024 * 1024) };
    assert.equal((await send(await rig.service(), large)).status, 413);
  });
});
