import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openNetworkTables } from '../../../src/networks/open-network-tables.ts';
import { ownRig } from '../http-rig.ts';

const folder = fileURLToPath(new URL('../../fixtures/networks/', import.meta.url));

describe('the network of an address', () => {
  const asked: readonly [title: string, path: (host: string) => string][] = [
    ['a route', (host) => `/api/route?c2=${host}:4444`],
    ['a C2', (host) => `/api/c2?c2=${host}:4444`],
    ['a host', (host) => `/api/hosts?host=${host}`],
  ];
  for (const [title, path] of asked)
    it(`is shown with ${title}, as far as it is known`, async (test) => {
      const networks = await openNetworkTables({
        asnDatabase: `${folder}asn-geolite.mmdb`,
        countryDatabase: `${folder}country-geolite.mmdb`,
      });
      const rig = await ownRig(test, { networks });
      const { token } = await rig.reader();
      const originOf = async (host: string) => {
        const { status, json } = await rig.ask('GET', path(host), { token });
        assert.equal(status, 200);
        return [json['asn'], json['country']];
      };
      assert.deepEqual(await originOf('192[.]0[.]2[.]9'), [
        { number: 64496, name: 'Example Net' },
        'NL',
      ]);
      assert.deepEqual(await originOf('203.0.113.200'), [{ number: 65551 }, undefined]);
      assert.deepEqual(await originOf('198.51.100.1'), [undefined, undefined]);
      assert.deepEqual(await originOf('evil.example'), [undefined, undefined]);
    });
});
