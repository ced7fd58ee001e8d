import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openNetworkTables } from '../../src/networks/open-network-tables.ts';
import { writeMmdb } from './write-mmdb.ts';

const folder = fileURLToPath(new URL('../fixtures/networks/', import.meta.url));
const ASN = `${folder}asn-geolite.mmdb`;
const COUNTRY = `${folder}country-geolite.mmdb`;
const BOTH = `${folder}both-ipinfo.mmdb`;

const open = (asnDatabase?: string, countryDatabase?: string) =>
  openNetworkTables({ asnDatabase, countryDatabase });

async function fileWith(test: TestContext, bytes: Uint8Array): Promise<string> {
  const own = await mkdtemp(join(tmpdir(), 'rapsheet-networks-'));
  test.after(() => rm(own, { recursive: true }));
  const file = join(own, 'table.mmdb');
  await writeFile(file, bytes);
  return file;
}

describe('the tables of the fixtures', () => {
  for (const name of globSync('*.json', { cwd: folder }))
    it(`are what ${name} says`, () => {
      const source = JSON.parse(readFileSync(folder + name, 'utf8'));
      const written = readFileSync(folder + name.replace(/json$/, 'mmdb'));
      assert.deepEqual(writeMmdb(source), written);
    });
});

describe('the offline tables', () => {
  it('know system and country of an address, IPv4 or IPv6', async () => {
    const tables = await open(ASN, COUNTRY);
    assert.deepEqual(tables.originOf('192.0.2.7'), {
      asn: { number: 64496, name: 'Example Net' },
      country: 'NL',
    });
    assert.deepEqual(tables.originOf('2001:db8::7'), {
      asn: { number: 64498, name: 'Example Six' },
      country: 'BR',
    });
  });

  it('tell neighbouring networks apart', async () => {
    const tables = await open(ASN);
    assert.deepEqual(tables.originOf('203.0.113.127'), {
      asn: { number: 64497, name: 'Beispielnetz GmbH & Co. Überall' },
    });
    assert.deepEqual(tables.originOf('203.0.113.128'), { asn: { number: 65551 } });
  });

  it('know nothing of other addresses and of names', async () => {
    const tables = await open(ASN, COUNTRY);
    for (const host of [
      '198.51.100.1',
      '2001:db9::1',
      '::1',
      'tunnel.example',
      '192.0.2.7.example',
    ])
      assert.deepEqual(tables.originOf(host), {}, host);
  });

  it('may both be one file, with the fields of another provider', async () => {
    const tables = await open(BOTH, BOTH);
    assert.deepEqual(tables.originOf('198.51.100.200'), {
      asn: { number: 64499, name: 'Example Four' },
      country: 'KE',
    });
  });

  it('without IPv6 know nothing of an IPv6 address with the same bits', async () => {
    const tables = await open(BOTH, BOTH);
    assert.deepEqual(tables.originOf('c633:6400::1'), {});
  });

  it('that are not configured know nothing', async () => {
    assert.deepEqual((await open()).originOf('192.0.2.7'), {});
  });

  it('refuse a file that does not exist, and name the setting', async () => {
    await assert.rejects(open('/nowhere/asn.mmdb'), {
      message:
        'RAPSHEET_ASN_DB must name an MMDB file with autonomous systems: /nowhere/asn.mmdb does not exist',
    });
    await assert.rejects(open(undefined, '/nowhere/c.mmdb'), {
      message:
        'RAPSHEET_COUNTRY_DB must name an MMDB file with countries: /nowhere/c.mmdb does not exist',
    });
  });

  it('refuse a folder', async () => {
    await assert.rejects(open(folder), /RAPSHEET_ASN_DB .* cannot be read: EISDIR/);
  });

  it('refuse a file of another format, an empty one and a cut one', async (test) => {
    const whole = await readFile(ASN);
    for (const bytes of [Buffer.alloc(0), Buffer.from('{}'), whole.subarray(0, 600)]) {
      const file = await fileWith(test, bytes);
      await assert.rejects(open(file), /RAPSHEET_ASN_DB .* is not an MMDB file$/);
    }
  });

  it('refuse a file without its records', async (test) => {
    const whole = await readFile(ASN);
    const end = whole.lastIndexOf(Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1'));
    const file = await fileWith(test, whole.subarray(end));
    await assert.rejects(open(file), /RAPSHEET_ASN_DB .* is damaged: get it again$/);
  });

  it('refuse a table of another kind', async () => {
    await assert.rejects(open(COUNTRY), /RAPSHEET_ASN_DB .* has none: is it a table of another/);
    await assert.rejects(open(ASN, ASN), /RAPSHEET_COUNTRY_DB .* has none/);
  });

  it('answer, with nothing or a value, whatever byte of a file is changed', async (test) => {
    const whole = await readFile(BOTH);
    for (let index = 0; index < whole.length; index += 3) {
      const bytes = Buffer.from(whole);
      bytes[index] = (bytes[index] ?? 0) ^ 0xff;
      const file = await fileWith(test, bytes);
      const tables = await open(file).catch((error: Error) => {
        assert.match(error.message, /^RAPSHEET_ASN_DB must name/);
      });
      assert.equal(typeof (tables?.originOf('198.51.100.1') ?? {}), 'object');
    }
  });
});
