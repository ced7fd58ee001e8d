import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spread } from '../requests.ts';
import {
  debianPath,
  freePort,
  runProgram,
  startProgram,
  stopProgram,
  unpackDebian,
} from './install.ts';
import { numbered, type Peer, type PeerOperation, READS, rawRequest } from './peer.ts';

const PASSWORD = 'benchbench';
const KEY = 'bench-key';
const CHUNK = 5000;
/** A client without a name and a version is refused. */
const AGENT = { 'User-Agent': 'bench/1.0' };

const addressOf = (number: number) => `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;

/** An alert with a ban of each of these addresses, as an agent sends it. */
function alertOf(numbers: readonly number[]): unknown {
  const [first = 0] = numbers;
  const at = new Date().toISOString();
  return {
    scenario: 'bench',
    scenario_hash: '',
    scenario_version: '',
    message: 'bench',
    events_count: 1,
    start_at: at,
    stop_at: at,
    capacity: 0,
    leakspeed: '0',
    simulated: false,
    events: [],
    source: { scope: 'Ip', value: addressOf(first), ip: addressOf(first) },
    decisions: numbers.map((number) => ({
      duration: '8760h',
      origin: 'cscli',
      scenario: 'bench',
      scope: 'Ip',
      type: 'ban',
      value: addressOf(number),
    })),
  };
}

/** The example configuration of the package, with our paths, a write-ahead log and no agent. */
function configure(folder: string, port: number): string {
  for (const name of ['data', 'hub', 'notifications', 'plugins']) mkdirSync(join(folder, name));
  for (const name of ['simulation.yaml', 'acquis.yaml']) writeFileSync(join(folder, name), '');
  copyFileSync(debianPath('etc/crowdsec/profiles.yaml'), join(folder, 'profiles.yaml'));
  writeFileSync(join(folder, 'hub/.index.json'), '{}');
  const path = (name: string) => join(folder, name);
  const config = {
    common: { daemonize: false, log_media: 'stdout', log_level: 'warning', working_dir: folder },
    config_paths: {
      config_dir: folder,
      data_dir: path('data'),
      simulation_path: path('simulation.yaml'),
      hub_dir: path('hub'),
      index_path: path('hub/.index.json'),
      notification_dir: path('notifications'),
      plugin_dir: path('plugins'),
    },
    crowdsec_service: { acquisition_path: path('acquis.yaml'), parser_routines: 1 },
    cscli: { output: 'json' },
    db_config: {
      log_level: 'warning',
      type: 'sqlite',
      db_path: path('data/crowdsec.db'),
      use_wal: true,
      flush: { max_items: 10_000_000, max_age: '365d' },
    },
    plugin_config: { user: 'nobody', group: 'nogroup' },
    api: {
      client: { insecure_skip_verify: false, credentials_path: path('credentials.yaml') },
      server: {
        log_level: 'warning',
        listen_uri: `127.0.0.1:${port}`,
        profiles_path: path('profiles.yaml'),
      },
    },
    prometheus: { enabled: false },
  };
  // JSON is YAML.
  writeFileSync(path('config.yaml'), JSON.stringify(config));
  return path('config.yaml');
}

async function post(port: number, path: string, body: unknown, token?: string): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: {
      ...AGENT,
      'Content-Type': 'application/json',
      ...(token && { authorization: token }),
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

async function logIn(port: number): Promise<string> {
  const machine = { machine_id: 'bench', password: PASSWORD, scenarios: [] };
  const { token } = (await post(port, '/v1/watchers/login', machine)) as { token: string };
  return `Bearer ${token}`;
}

async function fill(port: number, token: string, count: number): Promise<void> {
  for (let from = 1; from <= count; from += CHUNK) {
    const length = Math.min(CHUNK, count - from + 1);
    const numbers = Array.from({ length }, (_, at) => from + at);
    await post(port, '/v1/alerts', [alertOf(numbers)], token);
  }
}

function operationsFor(token: string): readonly PeerOperation[] {
  return [
    {
      name: 'query the decisions about an address',
      plan: READS,
      requests: (count) =>
        numbered(10_000, (number) => {
          const path = `/v1/decisions?ip=${addressOf(spread(number, count))}`;
          return rawRequest({ method: 'GET', path, headers: { ...AGENT, 'X-Api-Key': KEY } });
        }),
    },
    {
      name: 'add an object',
      // With several connections, some writes fail because the database is locked.
      plan: { connections: 1, once: true },
      requests: (count) =>
        numbered(1000, (number) =>
          rawRequest({
            method: 'POST',
            path: '/v1/alerts',
            headers: { ...AGENT, Authorization: token, 'Content-Type': 'application/json' },
            body: JSON.stringify([alertOf([count + 1 + number])]),
          }),
        ),
    },
  ];
}

export const crowdsec: Peer = {
  name: 'CrowdSec',
  setUp:
    "the local API of Debian's crowdsec, without an agent and without the central API, SQLite with a write-ahead log",
  install: () => unpackDebian(['crowdsec'], 'usr/bin/crowdsec'),
  start: async (count, folder) => {
    const port = await freePort();
    const config = configure(folder, port);
    const admin = (...args: string[]) =>
      runProgram({ command: debianPath('usr/bin/cscli'), args: ['-c', config, ...args] });
    const credentials = ['-f', join(folder, 'credentials.yaml')];
    await admin('machines', 'add', 'bench', '--password', PASSWORD, ...credentials);
    await admin('bouncers', 'add', 'bench', '--key', KEY);
    const server = await startProgram(
      { command: debianPath('usr/bin/crowdsec'), args: ['-c', config, '-no-cs'], cwd: folder },
      port,
    );
    const token = await logIn(port);
    await fill(port, token, count);
    return {
      port,
      pids: [server.pid ?? 0],
      operations: operationsFor(token),
      stop: () => stopProgram(server),
    };
  },
};
