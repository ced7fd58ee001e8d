import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { xarfOf } from '../../../src/exports/xarf/xarf-object.ts';
import { sha256Of } from '../../builders.ts';
import { openRig } from '../http-rig.ts';

const rig = await openRig();
after(() => rig.close());

const { token } = await rig.researcher();
const SHA256 = sha256Of('xarf');

const XARF = {
  xarf_version: '4.2.0',
  report_id: '550e8400-e29b-41d4-a716-446655440000',
  timestamp: '2026-11-16T10:00:00Z',
  reporter: { org: 'Lab', contact: 'abuse@lab.example', domain: 'lab.example' },
  sender: { org: 'Lab', contact: 'abuse@lab.example', domain: 'lab.example' },
  source_identifier: 'Tunnel.Ply.example',
  source_port: 4444,
  category: 'infrastructure',
  type: 'botnet',
  compromise_evidence: 'C2 traffic',
  c2_server: 'tunnel.ply.example',
  malware_family: 'AsyncRAT',
  tags: ['malware:asyncrat', 'custom:rat', 'campaign:winter'],
  confidence: 0.8,
  hash: `sha256:${SHA256.toUpperCase()}`,
  reference: 'https://lab.example/asyncrat',
  evidence: [{ content_type: 'text/plain', payload: 'YQ==', hash: `sha256:${sha256Of('text')}` }],
  _internal: { ticket: 'ABUSE-1' },
};

const XARF3 = {
  Version: '3',
  ReporterInfo: { ReporterOrg: 'Lab', ReporterOrgEmail: 'abuse@lab.example' },
  Report: {
    ReportClass: 'Activity',
    ReportType: 'Botnet',
    Date: '2026-11-16T10:00:00Z',
    SourceIp: '203.0.113.7',
    SourcePort: 8443,
    Samples: [
      { ContentType: 'application/octet-stream', Payload: 'TVo=', Hash: `sha256:${SHA256}` },
    ],
  },
};

function without(...names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(XARF).filter(([name]) => !names.includes(name)));
}

function send(service: string, body: unknown, headers: Record<string, string> = {}) {
  return rig.ask('POST', `/feed/${service}/xarf`, { token, body, headers });
}

async function stored(service: string, body: unknown) {
  const { status, json, text } = await send(service, body);
  assert.equal(status, 201, text);
  return rig.fetched(service, (json as { id: string }).id);
}

async function refusal(body: unknown): Promise<string> {
  const { status, json, headers } = await send(await rig.service(), body);
  assert.equal(status, 422);
  assert.equal(headers['x-error-code'], 'invalid_xarf');
  return (json as { error: string }).error;
}

describe('a report in XARF', () => {
  it('is stored like any other, with the confidence on the scale of the service', async () => {
    const service = await rig.service({ confidenceScale: 5 });
    const { status, json, headers } = await send(service, XARF);
    assert.equal(status, 201);
    const { id, ...rest } = json as { id: string };
    assert.deepEqual(rest, { successful: true });
    assert.match(String(headers['location']), new RegExp(`/feed/${service}/api\\?report=${id}$`));
    const report = await rig.fetched(service, id);
    assert.equal(report.c2Address, 'tunnel.ply.example:4444');
    assert.equal(report.file256Hash, SHA256);
    assert.deepEqual(report.tags, ['AsyncRAT', 'rat', 'campaign:winter']);
    assert.equal(report.confidenceScore, 4);
    assert.equal(report.referenceLink, 'https://lab.example/asyncrat');
    assert.doesNotMatch(JSON.stringify(report), /ABUSE-1/);
  });

  it('may be of version 3', async () => {
    const service = await rig.service();
    const report = await stored(service, XARF3);
    assert.equal(report.c2Address, '203.0.113.7:8443');
    assert.equal(report.file256Hash, SHA256);
  });

  it('may be our own export of a report', async () => {
    const service = await rig.service();
    const body = xarfOf(
      {
        id: '01890a5d-ac96-774b-bcce-b302099a8057',
        name: 'asyncrat',
        tags: ['asyncrat', 'rat'],
        c2: { host: '2001:db8::7', port: 443 },
        sha256: SHA256,
        reportedBy: 'ada',
        reportedAt: '2026-11-16T10:00:00.000Z',
        reference: 'https://lab.example/asyncrat',
        confidence: 80,
        confirmation: 'unknown',
      },
      { confidenceScale: 100, contact: 'abuse@feeds.example' },
    );
    const report = await stored(service, body);
    assert.equal(report.c2Address, '[2001:db8::7]:443');
    assert.equal(report.file256Hash, SHA256);
    assert.deepEqual(report.tags, ['asyncrat', 'rat']);
    assert.equal(report.confidenceScore, 80);
    assert.equal(report.referenceLink, 'https://lab.example/asyncrat');
  });

  it('may have the file as a tag, which is none of the report, and a link as evidence', async () => {
    const service = await rig.service();
    const links = Buffer.from('# links\r\nftp://lab.example/\r\nhttps://lab.example/2\r\n');
    const { hash: _, reference: __, ...rest } = XARF;
    const report = await stored(service, {
      ...rest,
      tags: [`sha256:${SHA256}`, 'custom:rat'],
      evidence: [{ content_type: 'text/uri-list', payload: links.toString('base64') }],
    });
    assert.equal(report.file256Hash, SHA256);
    assert.deepEqual(report.tags, ['AsyncRAT', 'rat']);
    assert.equal(report.referenceLink, 'https://lab.example/2');
  });

  it('may have no family, or an unknown one', async () => {
    const service = await rig.service();
    const report = await stored(service, { ...XARF, malware_family: 'unknown', tags: [] });
    assert.deepEqual(report.tags, []);
  });

  it('may name a C2 with a port of its own', async () => {
    const service = await rig.service();
    const report = await stored(service, { ...XARF, c2_server: 'c2.ply.example:99' });
    assert.equal(report.c2Address, 'c2.ply.example:99');
  });

  it('may have the hash of the file in its evidence', async () => {
    const service = await rig.service();
    const evidence = [
      { content_type: 'text/plain', payload: '', hash: `sha256:${sha256Of('log')}` },
      { content_type: 'application/octet-stream', payload: '', hash: `sha256:${SHA256}` },
    ];
    const report = await stored(service, { ...without('hash'), evidence });
    assert.equal(report.file256Hash, SHA256);
  });

  it('is stored once, however often its report_id is sent', async () => {
    const service = await rig.service();
    const first = await send(service, XARF);
    const again = await send(service, { ...XARF, timestamp: '2026-11-16T11:00:00Z' });
    assert.equal(again.text, first.text);
    assert.equal(again.headers['idempotent-replayed'], 'true');
    const other = await send(service, { ...XARF, source_port: 1 });
    assert.equal(other.headers['x-error-code'], 'idempotency_key_reused');
    // A key of the request comes first.
    const keyed = await send(service, XARF, { 'idempotency-key': '"k"' });
    assert.equal(keyed.headers['idempotent-replayed'], undefined);
    assert.notEqual(keyed.text, first.text);
  });

  const wrong: Readonly<Record<string, readonly [unknown, RegExp]>> = {
    'no version': [without('xarf_version'), /^xarf_version must be a version 4/],
    'another version': [{ ...XARF, xarf_version: '5.0.0' }, /^xarf_version/],
    'a list': [[XARF], /^xarf_version/],
    'another type': [{ ...XARF, type: 'spam' }, /^category must be "infrastructure" and type/],
    'no host': [without('source_identifier', 'c2_server'), /^source_identifier is missing/],
    'a host with a line break': [{ ...XARF, source_identifier: 'a\nb' }, /source_identifier must/],
    'no port': [without('source_port'), /^source_port is missing; it must be an integer/],
    'a port as text': [{ ...XARF, source_port: '4444' }, /^source_port must be an integer/],
    'another C2 without a port': [
      { ...XARF, c2_server: 'b.example' },
      /^c2_server must be the same/,
    ],
    'no hash': [without('hash'), /^hash is missing; it must be "sha256:"/],
    'an MD5': [{ ...XARF, hash: `md5:${'0'.repeat(32)}` }, /^hash must be "sha256:"/],
    'two files': [
      {
        ...without('hash'),
        evidence: ['a', 'b'].map((text) => ({
          content_type: 'application/octet-stream',
          hash: `sha256:${sha256Of(text)}`,
        })),
      },
      /^evidence has the SHA-256 of several files/,
    ],
    'a confidence above 1': [
      { ...XARF, confidence: 80 },
      /^confidence must be a number from 0 to 1/,
    ],
    'an invisible tag': [{ ...XARF, tags: ['custom:a\r\nb'] }, /^malware_family and tags must be/],
    'tags that are no list': [{ ...XARF, tags: 'rat' }, /^malware_family and tags must be/],
    'a script as reference': [{ ...XARF, reference: 'javascript:1' }, /^reference must be an http/],
    'an id that is no UUID': [{ ...XARF, report_id: 'x' }, /^report_id must be a UUID/],
    'version 3 without a port': [
      { ...XARF3, Report: { ...XARF3.Report, SourcePort: undefined } },
      /^Report\.SourcePort is missing/,
    ],
  };
  for (const [what, [body, text]] of Object.entries(wrong)) {
    it(`is refused with ${what}, by the name of the member`, async () => {
      assert.match(await refusal(body), text);
    });
  }

  it('is refused for readers, without a token and in other media types', async () => {
    const service = await rig.service();
    const url = `/feed/${service}/xarf`;
    const reader = await rig.reader();
    const asReader = await rig.ask('POST', url, { token: reader.token, body: XARF });
    assert.equal(asReader.status, 403);
    assert.equal((await rig.ask('POST', url, { body: XARF })).status, 401);
    const headers = { 'content-type': 'text/plain' };
    const asText = await rig.ask('POST', url, { token, payload: JSON.stringify(XARF), headers });
    assert.equal(asText.status, 415);
  });

  it('is refused above 1 MiB', async () => {
    const evidence = [{ content_type: 'text/plain', payload: 'a'.repeat(1024 * 1024) }];
    const { status } = await send(await rig.service(), { ...XARF, evidence });
    assert.equal(status, 413);
  });
});
