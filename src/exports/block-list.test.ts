import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exportContext, exportedReport, exportedService } from '../../test/exports/reports.ts';
import { allowListOf } from '../domain/lists/allow-list.ts';
import { BlockList, type BlockScope, type Omission } from './block-list.ts';
import type { ExportContext } from './exporter.ts';

function omission(c2: string, scope: BlockScope, context: Partial<ExportContext> = {}) {
  return new BlockList(exportContext(context), scope).omission(exportedReport(1, { c2 }));
}

/** By C2: why it is left out of lists with ports, and of lists without. */
type Rows = readonly (readonly [
  c2: string,
  endpoint: Omission | 'kept',
  host: Omission | 'kept',
])[];

function check(rows: Rows, context: Partial<ExportContext> = {}): void {
  for (const [c2, endpoint, host] of rows) {
    assert.equal(omission(c2, 'endpoint', context) ?? 'kept', endpoint, `${c2} with its port`);
    assert.equal(omission(c2, 'host', context) ?? 'kept', host, c2);
  }
}

describe('a block list', () => {
  it('contains the hosts of customers, and never the apex or a gateway of the service', () => {
    check([
      ['abc.ply.example:4444', 'kept', 'kept'],
      ['deep.abc.ply.example:4444', 'kept', 'kept'],
      ['below.tunnel.ply.example:4444', 'kept', 'kept'],
      ['tunnel.ply.example:4444', 'kept', 'shared-gateway'],
      ['ply.example:4444', 'service-apex', 'service-apex'],
      ['notply.example:4444', 'kept', 'kept'],
      ['11.22.33.44:4444', 'kept', 'shared-gateway'],
      ['11.22.34.1:4444', 'kept', 'kept'],
      ['[2a0f:ffff::1]:4444', 'kept', 'shared-gateway'],
    ]);
  });

  it('contains no parent of a declared name: it would block the service with it', () => {
    const service = exportedService({
      hosts: ['*.eu.tunnels.co.uk', 'gate.relay.example.net', 'solo.example', '45.1.2.3'],
      networks: [],
    });
    const context = { services: new Map([[service.slug, service]]) };
    check(
      [
        ['a.eu.tunnels.co.uk:1', 'kept', 'kept'],
        ['eu.tunnels.co.uk:1', 'service-apex', 'service-apex'],
        ['tunnels.co.uk:1', 'service-apex', 'service-apex'],
        ['us.tunnels.co.uk:1', 'kept', 'kept'],
        ['gate.relay.example.net:1', 'kept', 'shared-gateway'],
        ['relay.example.net:1', 'service-apex', 'service-apex'],
        ['example.net:1', 'service-apex', 'service-apex'],
        // Declared without a wildcard, but the whole domain.
        ['solo.example:1', 'service-apex', 'service-apex'],
        ['45.1.2.3:1', 'kept', 'shared-gateway'],
      ],
      context,
    );
  });

  it('contains no private or reserved address, nor one that embeds it', () => {
    const addresses = ['10.0.0.1', '127.0.0.1', '0.0.0.0', '192.168.1.1', '169.254.169.254'];
    const others = ['100.64.0.1', '224.0.0.1', '255.255.255.255', '203.0.113.7', '198.18.0.1'];
    const ipv6 = ['::', '::1', 'fe80::1', 'fd00::1', 'ff02::1', '2001:db8::1', '::ffff:10.0.0.1'];
    const embedding = ['2002:a00:1::', '64:ff9b::a00:1', '64:ff9b:1::a00:1', '2001:0:a00:1::'];
    check([...addresses, ...others].map((host) => [`${host}:80`, 'reserved', 'reserved'] as const));
    check([...ipv6, ...embedding].map((host) => [`[${host}]:80`, 'reserved', 'reserved'] as const));
    check([
      ['1.1.1.1:80', 'kept', 'kept'],
      ['[2a01:4f8::7]:80', 'kept', 'kept'],
    ]);
  });

  it('contains no public suffix, but domains below it', () => {
    check([
      ['co.uk:80', 'public-suffix', 'public-suffix'],
      ['github.io:80', 'public-suffix', 'public-suffix'],
      ['duckdns.org:80', 'public-suffix', 'public-suffix'],
      ['foo.ck:80', 'public-suffix', 'public-suffix'],
      ['compute.amazonaws.com:80', 'public-suffix', 'public-suffix'],
      ['evil.co.uk:80', 'kept', 'kept'],
      ['evil.github.io:80', 'kept', 'kept'],
      ['evil.duckdns.org:80', 'kept', 'kept'],
      ['www.ck:80', 'kept', 'kept'],
    ]);
  });

  it('contains no name that each network resolves by itself', () => {
    const names = ['localhost', 'com', 'intranet', 'a.localhost', 'localhost.localdomain'];
    const others = ['printer.local', 'db.internal', 'nas.lan', '1.0.0.10.in-addr.arpa'];
    check([...names, ...others].map((name) => [`${name}:80`, 'local-name', 'local-name'] as const));
  });

  it('contains nothing that the operator allows', () => {
    const allowed = ['good.example.org', '8.8.8.0/24', '9.9.9.9/32', '2620:fe::/48'];
    check(
      [
        ['good.example.org:80', 'allow-list', 'allow-list'],
        ['a.b.good.example.org:80', 'allow-list', 'allow-list'],
        // Blocking it would block the allowed name below it.
        ['example.org:80', 'kept', 'allow-list'],
        ['verygood.example.org:80', 'kept', 'kept'],
        ['8.8.8.8:80', 'allow-list', 'allow-list'],
        ['8.8.9.8:80', 'kept', 'kept'],
        ['9.9.9.9:80', 'allow-list', 'allow-list'],
        ['[2620:fe::9]:80', 'allow-list', 'allow-list'],
        ['[2620:ff::9]:80', 'kept', 'kept'],
      ],
      { lists: allowListOf(allowed) },
    );
  });

  it('does not contain the server that it comes from', () => {
    const baseUrl = 'https://reports.desk.example.com:8443/rapsheet';
    check(
      [
        ['reports.desk.example.com:4444', 'own-server', 'own-server'],
        ['desk.example.com:4444', 'kept', 'own-server'],
        ['other.desk.example.com:4444', 'kept', 'kept'],
      ],
      { baseUrl },
    );
    check([['45.1.2.3:80', 'own-server', 'own-server']], { baseUrl: 'http://45.1.2.3:8080' });
    check([['[2a01::1]:80', 'own-server', 'own-server']], { baseUrl: 'http://[2a01::1]:8080' });
    check([['45.1.2.3:80', 'kept', 'kept']], { baseUrl: '' });
  });

  it('contains reports that the desk has not answered, and actioned ones on request', () => {
    const found = (status?: ExportContext['status']) => {
      const list = new BlockList(exportContext({ status }), 'endpoint');
      return (['open', 'acknowledged', 'actioned', 'rejected', 'expired'] as const).filter(
        (one) => list.omission(exportedReport(1, { status: one })) === undefined,
      );
    };
    assert.deepEqual(found(), ['open', 'acknowledged']);
    assert.deepEqual(found('actioned'), ['open', 'acknowledged', 'actioned']);
    assert.deepEqual(found('rejected'), ['open', 'acknowledged']);
    assert.deepEqual(found('expired'), ['open', 'acknowledged']);
  });

  it('contains no C2 that the desk of the feed has rejected', () => {
    const list = new BlockList(exportContext({ status: 'actioned' }), 'endpoint');
    for (const status of ['open', 'acknowledged', 'actioned'] as const)
      assert.equal(
        list.omission(exportedReport(5, { status, rejectionSequence: 4 })),
        'c2-rejected',
      );
  });

  it('contains no host or port that a parser would not have accepted', () => {
    for (const c2 of [
      { host: 'A.example.org', port: 80 },
      { host: 'a.example.org', port: 0 },
      { host: 'a.example.org\n', port: 80 },
      { host: '', port: 80 },
    ])
      assert.equal(
        new BlockList(exportContext(), 'host').omission({
          status: 'open',
          c2,
          rejectionSequence: undefined,
        }),
        'unwritable',
      );
  });
});
