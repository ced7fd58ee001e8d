import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import type { Exporter } from '../../../src/exports/exporter.ts';
import { EXPORTERS } from '../../../src/exports/index.ts';
import { optionSets, variantOf } from '../../exports/reports.ts';
import { openRig, type Rig } from '../http-rig.ts';

/** Every format with every option, as the route sends it: of a feed with hostile reports. */

const INJECTION = new URL('../../exports/golden/injection.json', import.meta.url);
const HOSTS = { hosts: ['*.ply.example', 'tunnel.ply.example'], networks: ['45.99.0.0/24'] };

let rig: Rig;
let token: string;
let owner: string;
const slug = 'ply';

before(async () => {
  rig = await openRig({ exports: {} });
  ({ token } = await rig.researcher());
  await rig.service({ slug, ...HOSTS });
  ({ token: owner } = await rig.owner(slug));
  assert.ok((await addHostileReports()) >= 20);
  for (const c2Address of ['45.1.2.3:4444', '[2a01:1::5]:443', 'm.ply.example:1', '10.0.0.1:1'])
    await rig.report(slug, token, { c2Address });
  const actioned = await rig.report(slug, token, { c2Address: 'gone.ply.example:9' });
  await rig.answer(slug, actioned, owner, { status: 'actioned', reason: 'taken_down' });
});
after(() => rig.close());

/** Returns how many of them the API accepts. The others can only be in the database of a test. */
async function addHostileReports(): Promise<number> {
  const { reports } = JSON.parse(readFileSync(INJECTION, 'utf8'));
  const statuses = [];
  for (const { c2, tags, reference } of reports) {
    const c2Address = typeof c2 === 'string' ? c2 : `${c2.host}:${c2.port}`;
    const members = { c2Address, ...(tags && { tags }) };
    const whole = await rig.create(slug, token, { ...members, referenceLink: reference ?? '' });
    const { status } = whole.status === 201 ? whole : await rig.create(slug, token, members);
    assert.ok(status === 201 || status === 400, String(status));
    statuses.push(status);
  }
  return statuses.filter((status) => status === 201).length;
}

interface Sent {
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly status: number;
}

async function send(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Sent> {
  const response = await rig.app.inject({
    method: 'GET',
    url: path,
    headers: { authorization: `Bearer ${token}`, ...headers },
  });
  const { rawPayload: bytes, statusCode: status } = response;
  return { bytes, status, headers: response.headers };
}

async function textOf(rest: string): Promise<string> {
  const { bytes, status } = await send(`/feed/${slug}/export/${rest}`);
  assert.equal(status, 200, bytes.toString());
  return bytes.toString();
}

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');
const END = /^[#;!] END rows=(\d+) sha256=([0-9a-f]{64})$/;

/** As a consumer checks it in a shell: `head -n -1 | sha256sum`. */
function checkEndLine(text: string, read = (line: string) => line): void {
  const start = text.lastIndexOf('\n', text.length - 2) + 1;
  const [, , digest] = END.exec(read(text.slice(start).trimEnd())) ?? [];
  assert.equal(digest, sha256(text.slice(0, start)));
}

function checkEnd(format: string, file: string | undefined, type: string, bytes: Buffer): void {
  const text = bytes.toString();
  if (type.startsWith('application/x-ndjson')) {
    const [last = '', ...lines] = text.trimEnd().split('\n').reverse();
    for (const line of lines) assert.equal(typeof JSON.parse(line), 'object');
    assert.equal(JSON.parse(last).sha256, sha256(text.slice(0, text.lastIndexOf('{"end"'))));
  } else if (/^application\/\S*json/.test(type)) {
    assert.equal(typeof JSON.parse(text), 'object', format);
  } else if (file === 'domains') {
    checkEndLine(text, (line) => Buffer.from(line, 'base64').toString());
  } else if (file === 'addresses') {
    assert.ok(text.endsWith('\n192.0.2.0\n'));
  } else checkEndLine(text);
}

/** Every line is a record. */
function checkNoEnd(type: string, text: string): void {
  assert.doesNotMatch(text, /^# END|"end":true/m);
  const lines = text.trimEnd().split(/\r?\n/);
  assert.ok(lines.length > 20);
  for (const line of lines)
    if (type.startsWith('application/x-ndjson')) assert.equal(typeof JSON.parse(line).id, 'string');
    else assert.match(line, /^"/);
}

/** Unpacks an archive with the program that consumers use. */
function checkArchive(bytes: Buffer, names: readonly string[]): void {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-archive-'));
  try {
    writeFileSync(join(folder, 'set.tar.gz'), bytes);
    execFileSync('tar', ['-xzf', 'set.tar.gz'], { cwd: folder });
    rmSync(join(folder, 'set.tar.gz'));
    assert.deepEqual(readdirSync(folder).sort(), [...names, 'SHA256SUMS'].sort());
    // As `sha256sum --check` reads it.
    const sums = names.map((name) => `${sha256(readFileSync(join(folder, name)))}  ${name}`);
    const found = readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trimEnd().split('\n');
    assert.deepEqual(found.sort(), sums.sort());
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function checkContent(exporter: Exporter, options: Record<string, string>, sent: Sent): void {
  const files = exporter.archive?.(options);
  const type = String(sent.headers['content-type']);
  if (files !== undefined) checkArchive(sent.bytes, Object.keys(files));
  else if (options['end'] === '0') checkNoEnd(type, sent.bytes.toString());
  else checkEnd(exporter.format, options['file'], type, sent.bytes);
}

for (const exporter of EXPORTERS) {
  for (const options of optionSets(exporter)) {
    const query = new URLSearchParams(options).toString();
    const name = `${exporter.format}?${query}`;
    const { mediaType, extension } = variantOf(exporter, options);
    const isArchive = exporter.archive?.(options) !== undefined;

    describe(`the export ${name}`, () => {
      for (const scope of [slug, 'all']) {
        const path = `/feed/${scope}/export/${name}`;

        it(`of ${scope} is a complete file with its type and name`, async () => {
          const sent = await send(path);
          assert.equal(sent.status, 200, sent.bytes.toString());
          assert.equal(sent.headers['content-type'], mediaType);
          assert.equal(
            sent.headers['content-disposition'],
            `attachment; filename="${scope}.${extension}"`,
          );
          checkContent(exporter, options, sent);
        });

        it(`of ${scope} is the same compressed, and unchanged by its tag`, async () => {
          const plain = await send(path);
          const packed = await send(path, { 'accept-encoding': 'gzip, zstd' });
          assert.equal(packed.headers['content-encoding'], isArchive ? undefined : 'zstd');
          const bytes = isArchive ? packed.bytes : zstdDecompressSync(packed.bytes);
          assert.equal(sha256(bytes), sha256(plain.bytes));
          for (const { headers } of [plain, packed]) {
            const again = await send(path, { 'if-none-match': String(headers['etag']) });
            assert.equal(again.status, 304);
            assert.equal(again.bytes.length, 0);
          }
        });
      }
    });
  }
}

describe('a block list', () => {
  /** Formats whose entries are C2 addresses. */
  const ADDRESS_LISTS = ['nftables', 'ipset'];
  const NAME_LISTS = ['txt', 'hosts', 'dnsmasq', 'adblock', 'rpz'];
  const RULES = ['suricata', 'snort', 'zeek', 'sigma'];
  const LISTS = [...ADDRESS_LISTS, ...NAME_LISTS, ...RULES];

  it('has what was actioned only if it is asked for', async () => {
    for (const format of LISTS.filter((one) => !ADDRESS_LISTS.includes(one))) {
      assert.doesNotMatch(await textOf(format), /gone\.ply/, format);
      assert.match(await textOf(`${format}?status=actioned`), /gone\.ply/, format);
      assert.doesNotMatch(await textOf(`${format}?status=open`), /gone\.ply/, format);
    }
  });

  it('states how many entries it leaves out, and why', async () => {
    for (const format of LISTS)
      assert.match(await textOf(format), /^[#;!] left out: \d+ \(.*\b1 reserved/m, format);
  });

  it('leaves out the hosts that any service declares, as soon as it does', async () => {
    const other = await rig.service();
    await rig.report(slug, token, { c2Address: 'gate.other.example:7' });
    await rig.report(slug, token, { c2Address: '45.88.1.2:7' });
    const path = `/feed/${slug}/export/txt?value=host`;
    const earlier = await send(path);
    assert.match(earlier.bytes.toString(), /^gate\.other\.example$/m);
    assert.match(earlier.bytes.toString(), /^45\.88\.1\.2$/m);
    const declared = { hosts: ['gate.other.example'], networks: ['45.88.0.0/16'] };
    const changed = await rig.ask('PATCH', `/admin/services/${other}`, {
      token: rig.admin,
      body: declared,
    });
    assert.equal(changed.status, 200, changed.text);
    const headers = { 'if-none-match': String(earlier.headers['etag']) };
    const { status, bytes } = await send(path, headers);
    assert.equal(status, 200);
    assert.doesNotMatch(bytes.toString(), /^(?:gate\.other\.example|45\.88\.1\.2)$/m);
    assert.match(bytes.toString(), /\b2 shared-gateway/);
    // With their ports they block nobody else.
    const ports = await textOf('txt');
    assert.match(ports, /^gate\.other\.example:7$/m);
    assert.match(ports, /^45\.88\.1\.2:7$/m);
  });
});

describe('no export', () => {
  it('lets the text of a report become another line or rule', async () => {
    const lists = ['txt', 'hosts', 'dnsmasq', 'adblock', 'rpz', 'nftables', 'ipset', 'sha256'];
    for (const format of [...lists, 'suricata', 'snort', 'zeek', 'sigma']) {
      const text = await textOf(format);
      assert.doesNotMatch(text, /^\s*\$(?!TTL\b)|^\s*alert .*sid:[12];|^flush ruleset/m, format);
      assert.equal(text.match(/^[#;!] END /gm)?.length, 1, format);
    }
    const cells = (await textOf('csv?flavour=spreadsheet')).matchAll(/(?:^|,)"([^"])/gm);
    for (const [, first = ''] of cells) assert.doesNotMatch(first, /[=+\-@\t\r]/);
  });
});
