import assert from 'node:assert/strict';
import { freePort } from '../../../test/free-port.ts';
import type { Client } from '../client.ts';
import { beside, NameServer } from '../processes.ts';
import { program } from '../sources.ts';
import type { Trial } from '../trial.ts';

const NXDOMAIN = 'ENOTFOUND';
/** A name that is not listed, and what the server is told to answer for it. */
const OTHER = 'innocent.example';
const ADDRESS = '45.99.0.1';

interface ServerUnderTest {
  readonly command: readonly string[];
  readonly port: number;
  /** What a listed name gets. */
  readonly blocked: string;
  /** Whether names below a listed one are blocked as well. */
  readonly coversSubdomains: boolean;
  /** A name whose address is listed, and is therefore blocked. */
  readonly pointing?: string;
}

async function assertBlocks(trial: Trial, server: ServerUnderTest): Promise<void> {
  const names = (await trial.c2s('name')).map(({ host }) => host);
  const listed = server.coversSubdomains ? names.flatMap((name) => [name, `www.${name}`]) : names;
  const nameServer = new NameServer(server.port);
  const isReady = async () => (await nameServer.answer(OTHER)) === ADDRESS;
  const all = server.pointing === undefined ? listed : [...listed, server.pointing];
  await beside(trial, server.command, isReady, async () => {
    assert.ok(names.length > 10);
    for (const name of all) assert.equal(await nameServer.answer(name), server.blocked, name);
    assert.equal(await nameServer.answer(OTHER), ADDRESS);
  });
}

async function recordsOf(trial: Trial): Promise<readonly string[]> {
  return (await trial.c2s()).flatMap(({ kind, host }) => {
    if (kind === 'name') return [host, `*.${host}`];
    const groups =
      kind === 'ipv4'
        ? ['32', ...host.split('.').toReversed()]
        : ['128', ...host.replace('::', ':zz:').split(':').toReversed()];
    return [`${groups.join('.')}.rpz-ip`];
  });
}

/** A server for `innocent.example`, and for a name there whose address is that of a C2. */
function localZone(trial: Trial, c2: string): string {
  return trial.file(
    'innocent.zone',
    `$TTL 60\n@ SOA localhost. root 1 60 60 60 60\n@ NS localhost.\n@ A ${ADDRESS}\nc2 A ${c2}\n`,
  );
}

export const DNS: readonly Client[] = [
  {
    name: 'named-checkzone',
    source: program('named-checkzone', '-v'),
    command: '`named-checkzone -D rpz.rapsheet clients.rpz`, of `…/export/rpz`',
    compared: 'the records of every host; that none is ignored',
    async run(trial) {
      const zone = await trial.fetch('rpz');
      const output = await trial.execute('sh', [
        ...['-c', 'named-checkzone -D rpz.rapsheet "$0" 2>&1', zone],
      ]);
      assert.doesNotMatch(output, /ignor|warning/i);
      const owners = output.matchAll(/^(\S+)\.rpz\.rapsheet\.\s+\d+\s+IN\s+CNAME\s+\.$/gm);
      const found = [...owners].map(([, owner = '']) => owner);
      assert.deepEqual(found.sort(), [...new Set(await recordsOf(trial))].sort());
    },
  },
  {
    name: 'BIND',
    source: program('named', '-v'),
    command: '`named` with `response-policy { zone "rpz.rapsheet"; }`',
    compared: 'NXDOMAIN for every name, names below it and a name with a listed address',
    async run(trial) {
      const port = await freePort();
      const [c2] = await trial.c2s('ipv4');
      const configuration = `options {
  directory "${trial.folder}"; pid-file none; session-keyfile none; dnssec-validation no;
  listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };
  response-policy { zone "rpz.rapsheet"; } qname-wait-recurse no recursive-only no;
};
controls { };
zone "rpz.rapsheet" { type primary; file "${await trial.fetch('rpz')}"; };
zone "${OTHER}" { type primary; file "${localZone(trial, c2?.host ?? '')}"; };
`;
      const command = ['named', '-g', '-c', trial.file('named.conf', configuration)];
      const pointing = `c2.${OTHER}`;
      await assertBlocks(trial, {
        ...{ command, port, blocked: NXDOMAIN, coversSubdomains: true, pointing },
      });
    },
  },
  {
    name: 'unbound',
    source: program('unbound', '-V'),
    command: '`unbound` with `rpz: zonefile: clients.rpz`',
    compared: 'NXDOMAIN for every name and names below it',
    async run(trial) {
      const port = await freePort();
      const configuration = `server:
  directory: ""
  chroot: ""
  username: ""
  use-syslog: no
  pidfile: ""
  do-daemonize: no
  interface: 127.0.0.1@${port}
  module-config: "respip iterator"
  local-zone: "${OTHER}" static
  local-data: "${OTHER} A ${ADDRESS}"
remote-control:
  control-enable: no
rpz:
  name: "rpz.rapsheet"
  zonefile: "${await trial.fetch('rpz')}"
`;
      const command = ['unbound', '-d', '-c', trial.file('unbound.conf', configuration)];
      await assertBlocks(trial, {
        ...{ command, port, blocked: NXDOMAIN, coversSubdomains: true },
      });
    },
  },
  {
    name: 'dnsmasq',
    source: program('dnsmasq'),
    command: '`dnsmasq --conf-file=clients.conf`, of `…/export/dnsmasq`',
    compared: 'NXDOMAIN for every name and names below it',
    async run(trial) {
      const port = await freePort();
      const command = [...dnsmasq(port), `--conf-file=${await trial.fetch('dnsmasq')}`];
      await assertBlocks(trial, {
        ...{ command, port, blocked: NXDOMAIN, coversSubdomains: true },
      });
    },
  },
  {
    name: 'dnsmasq, hosts file',
    source: program('dnsmasq'),
    command: '`dnsmasq --addn-hosts=clients.hosts`, of `…/export/hosts`',
    compared: '0.0.0.0 for every name',
    async run(trial) {
      const port = await freePort();
      const hosts = `--addn-hosts=${await trial.fetch('hosts')}`;
      const command = [...dnsmasq(port), '--conf-file=/dev/null', hosts];
      await assertBlocks(trial, {
        ...{ command, port, blocked: '0.0.0.0', coversSubdomains: false },
      });
    },
  },
];

function dnsmasq(port: number): readonly string[] {
  return [
    ...['dnsmasq', '--no-daemon', '--no-resolv', '--no-hosts', '--user=', '--pid-file='],
    ...[`--port=${port}`, '--listen-address=127.0.0.1', '--bind-interfaces'],
    `--address=/${OTHER}/${ADDRESS}`,
  ];
}
