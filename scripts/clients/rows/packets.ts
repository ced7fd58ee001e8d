import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  inNetwork,
  loadedElements,
  whyNoSets,
} from '../../../test/exports/validators/nftables-loader.ts';
import {
  captureFile,
  dnsQuery,
  tcpPacket,
  udpPacket,
} from '../../../test/exports/validators/packets.ts';
import {
  alertsInSuricata,
  loadInSuricata,
} from '../../../test/exports/validators/suricata-loader.ts';
import type { Client, Source } from '../client.ts';
import { program, pythonPackage, pythonProgram } from '../sources.ts';
import type { Trial } from '../trial.ts';

/** Sets are loaded into the kernel, in a network of their own. */
function withNetwork(source: Source, why: () => string | false): Source {
  return { ...source, lacks: () => source.lacks() ?? (why() || undefined) };
}

function whyNoIpset(): string | false {
  const { status } = inNetwork('sh', '-c', 'ipset create a hash:ip,port && ipset list');
  return status === 0 ? false : 'a network namespace with sets cannot be created';
}

async function filesOfSet(trial: Trial): Promise<ReadonlyMap<string, string>> {
  const archive = await trial.download('suricata?file=set');
  const folder = trial.emptyFolder('suricata-set');
  await trial.execute('tar', ['-xzf', archive, '-C', folder]);
  await trial.execute('sh', ['-c', 'cd "$0" && sha256sum -c --strict --quiet SHA256SUMS', folder]);
  return new Map(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );
}

const RESOLVER = { host: '9.9.9.9', port: 53 };

/** A connection to each IPv4 address and a query of each name, and as many that are innocent. */
async function packetsTo(trial: Trial, isListed: boolean): Promise<Buffer> {
  const addresses = await trial.c2s('ipv4');
  const names = await trial.c2s('name');
  const client = (index: number) => ({ host: `10.0.0.${index + 1}`, port: 3000 });
  const connections = addresses.map(({ host, port }, index) =>
    tcpPacket(client(index), { host, port: isListed ? port : port + 1000 }),
  );
  const queries = names.map(({ host }, index) =>
    udpPacket(client(100 + index), RESOLVER, dnsQuery(isListed ? host : `x${host}`, index)),
  );
  return captureFile([...connections, ...queries]);
}

const SURICATA: readonly Client[] = [
  {
    name: 'Suricata',
    source: program('suricata', '-V'),
    command: '`suricata -T`, with every file of `…/export/suricata?file=set`',
    compared: 'a rule for every C2; no error and no warning',
    async run(trial) {
      const files = await filesOfSet(trial);
      const rules = files.get('feed.rules')?.match(/^alert /gm)?.length ?? 0;
      const { status, output } = loadInSuricata(files);
      assert.equal(status, 0, output);
      assert.doesNotMatch(output, /^(?:E|W|Error|Warning):/m);
      assert.match(output, new RegExp(`${rules} rules successfully loaded, 0 rules failed`));
      // One rule is for the files.
      assert.equal(rules, (await trial.c2s()).length + 1);
    },
  },
  {
    name: 'Suricata, on packets',
    source: program('suricata', '-V'),
    command: '`suricata -r packets.pcap`, with the same files',
    compared: 'an alert for every C2 that is contacted, and for nothing else',
    async run(trial) {
      const files = await filesOfSet(trial);
      const alerts = alertsInSuricata(files, await packetsTo(trial, true));
      const expected = await trial.c2s('name', 'ipv4');
      assert.equal(new Set(alerts.map(({ sid }) => sid)).size, expected.length);
      assert.deepEqual(alertsInSuricata(files, await packetsTo(trial, false)), []);
    },
  },
  {
    name: 'suricata-update',
    source: pythonPackage('suricata-update'),
    command:
      'suricata-update add-source rapsheet …/export/suricata?file=set --http-header …; suricata-update',
    compared: 'the enabled rules of the file that it writes with those of the set',
    isLong: true,
    async run(trial) {
      const data = trial.emptyFolder('suricata-update');
      const update = (...args: readonly string[]) =>
        trial.execute(pythonProgram('suricata-update'), [...args, '--data-dir', data]);
      await update(
        ...['add-source', 'rapsheet', trial.exportUrl('suricata?file=set')],
        ...['--http-header', `Authorization: Bearer ${trial.token}`, '--no-checksum'],
      );
      const options = ['--no-test', '--no-reload', '--output', join(data, 'rules')];
      await update('update', ...options, '--suricata-version', '7.0.10');
      // It adds the rules that come with Suricata.
      const sids = (text: string) =>
        [...text.matchAll(/^alert .*msg:"Rapsheet .* sid:(\d+);/gm)].map(([, sid]) => sid).sort();
      const written = readFileSync(join(data, 'rules', 'suricata.rules'), 'utf8');
      assert.deepEqual(sids(written), sids((await filesOfSet(trial)).get('feed.rules') ?? ''));
      assert.ok(sids(written).length > 30);
    },
  },
];

export const PACKETS: readonly Client[] = [
  {
    name: 'nftables',
    source: withNetwork(program('nft'), whyNoSets),
    command: '`nft -f clients.nft`, of `…/export/nftables`',
    compared: 'the elements that the kernel has with the address and port of every C2',
    async run(trial) {
      const c2s = await trial.c2s('ipv4', 'ipv6');
      const expected = c2s.map(({ host, port }) => `${host} . ${port}`).sort();
      assert.deepEqual(loadedElements(await trial.fetch('nftables')), expected);
    },
  },
  {
    name: 'ipset',
    source: withNetwork(program('ipset'), whyNoIpset),
    command: '`ipset restore -f clients.ipset`, of `…/export/ipset`',
    compared: 'the entries that the kernel has with the address and port of every C2',
    async run(trial) {
      const file = await trial.fetch('ipset');
      const { status, output } = inNetwork('sh', '-c', `ipset restore -f '${file}' && ipset save`);
      assert.equal(status, 0, output);
      const entries = [...output.matchAll(/^add \S+ (\S+)$/gm)].map(([, entry]) => entry);
      const expected = (await trial.c2s('ipv4', 'ipv6')).flatMap(({ host, port }) =>
        ['tcp', 'udp'].map((protocol) => `${host},${protocol}:${port}`),
      );
      assert.deepEqual(entries.sort(), expected.sort());
    },
  },
  ...SURICATA,
  {
    name: 'pySigma',
    source: pythonPackage('pysigma'),
    command: '`SigmaCollection.from_yaml(…)`, of `…/export/sigma?source=network`',
    compared: 'host and port of every C2; no error',
    async run(trial) {
      const rules = (await trial.python(
        'sigma-targets.py',
        await trial.fetch('sigma?source=network'),
      )) as string[];
      const expected = (await trial.c2s()).map(({ kind, host, port }) =>
        kind === 'name' ? host : `${host} ${port}`,
      );
      assert.deepEqual(rules.toSorted(), expected.toSorted());
    },
  },
];
