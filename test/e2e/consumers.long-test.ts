import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import type { RapsheetClient } from '../../src/client/client.ts';
import { fetchScript } from '../exports/fetch-script.ts';
import { loadedElements, whyNoSets } from '../exports/validators/nftables-loader.ts';
import { loadInSuricata } from '../exports/validators/suricata-loader.ts';
import { run, whyNo } from '../exports/validators/tool.ts';
import { clientOf, startServer } from './server-setup.ts';

/**
 * Consumers fetch exports from a real server with the script of the documentation while others
 * create and delete reports. TAXII and MISP have tests of their own: they follow changes.
 */

const REPORTS = 300;
const ROUNDS = 4;

interface C2 {
  readonly host: string;
  readonly port: number;
}

function c2Of(number: number): C2 {
  const hosts = [
    `m${number}.evil.example`,
    `45.${number % 200}.7.9`,
    `2a01:${number.toString(16)}::5`,
  ];
  return { host: hosts[number % 3] ?? '', port: 1000 + number };
}

const isName = ({ host }: C2) => host.endsWith('.example');
const isIpv4 = ({ host }: C2) => /^[\d.]+$/.test(host);
const endpointOf = ({ host, port }: C2) =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;

class Writers {
  readonly live = new Map<string, C2>();
  readonly #client: RapsheetClient;
  #created = 0;
  #isEnding = false;

  constructor(client: RapsheetClient) {
    this.#client = client;
  }

  get deleted(): number {
    return this.#created - this.live.size;
  }

  async createMany(count: number): Promise<void> {
    const reports = Array.from({ length: count }, () => this.#next());
    const lines = reports.map(({ body }) => `${JSON.stringify(body)}\n`).join('');
    for await (const { line, id } of await this.#client.createReports('ply', lines)) {
      const c2 = reports[line - 1]?.c2;
      if (id !== undefined && c2 !== undefined) this.live.set(id, c2);
    }
    assert.equal(this.live.size, count);
  }

  #next() {
    const number = this.#created;
    this.#created += 1;
    const c2 = c2Of(number);
    const file256Hash = number.toString(16).padStart(64, '0');
    return { c2, body: { c2Address: endpointOf(c2), file256Hash, tags: ['rat'] } };
  }

  /** Returns the function that ends the writers. */
  start(count: number): () => Promise<void> {
    this.#isEnding = false;
    const all = Promise.all(Array.from({ length: count }, () => this.#write()));
    return async () => {
      this.#isEnding = true;
      await all;
    };
  }

  async #write(): Promise<void> {
    while (!this.#isEnding) {
      const { c2, body } = this.#next();
      this.live.set((await this.#client.createReport('ply', body)).id, c2);
      const [oldest] = this.live.keys();
      if (oldest === undefined) continue;
      this.live.delete(oldest);
      await this.#client.deleteReport('ply', oldest);
    }
  }
}

interface Consumer {
  readonly title: string;
  readonly skip: string | false;
  readonly path: string;
  /** What the program has read from the file. It must not complain. */
  entries(file: string): readonly string[];
  /** The entries of a report; none if the format does not have it. */
  expected(c2: C2, id: string): readonly string[];
}

const CONSUMERS: readonly Consumer[] = [
  {
    title: 'a script that reads lines',
    skip: false,
    path: 'txt',
    entries: (file) => linesOf(file).filter((line) => !line.startsWith('#')),
    expected: (c2) => [endpointOf(c2)],
  },
  {
    title: 'BIND',
    skip: whyNo('named-checkzone'),
    path: 'rpz',
    entries: (file) => {
      const { status, output } = run('named-checkzone', '-D', 'rpz.rapsheet', file);
      assert.equal(status, 0, output);
      assert.doesNotMatch(output, /ignor/i);
      const owners = output.matchAll(/^(\S+)\.rpz\.rapsheet\.\s+\d+\s+IN\s+CNAME\s+\.$/gm);
      return [...owners].map(([, owner = '']) => owner);
    },
    expected: (c2) => {
      if (isName(c2)) return [c2.host, `*.${c2.host}`];
      const groups = isIpv4(c2)
        ? ['32', ...c2.host.split('.').toReversed()]
        : ['128', ...c2.host.replace('::', ':zz:').split(':').toReversed()];
      return [`${groups.join('.')}.rpz-ip`];
    },
  },
  {
    title: 'nftables',
    skip: whyNoSets(),
    path: 'nftables',
    entries: (file) => loadedElements(file),
    expected: (c2) => (isName(c2) ? [] : [`${c2.host} . ${c2.port}`]),
  },
  {
    title: 'a table of CSV',
    skip: false,
    path: 'csv',
    entries: (file) =>
      linesOf(file)
        .slice(1, -1)
        .map((line) => line.slice(1, line.indexOf('","'))),
    expected: (_, id) => [id],
  },
  {
    title: 'Suricata',
    skip: whyNo('suricata'),
    path: 'suricata',
    entries: (file) => {
      const rules = readFileSync(file, 'utf8');
      // The list of files is in the archive.
      const alone = rules.replaceAll(/^alert .*filesha256:.*\n/gm, '');
      const { status, output } = loadInSuricata(
        new Map([
          ['feed.rules', alone],
          ['categories.txt', ''],
          ['reputation.list', ''],
        ]),
      );
      assert.equal(status, 0, output);
      const count = alone.match(/^alert /gm)?.length ?? 0;
      assert.match(output, new RegExp(`${count} rules successfully loaded, 0 rules failed`));
      const names = [...alone.matchAll(/^alert dns .* content:"([^"]+)"/gm)];
      const addresses = [...alone.matchAll(/^alert ip .* -> (\S+ \d+) /gm)];
      return [...names, ...addresses].map(([, entry = '']) => entry);
    },
    expected: (c2) => {
      if (isName(c2)) return [c2.host];
      return [`${isIpv4(c2) ? c2.host : `[${c2.host}]`} ${c2.port}`];
    },
  },
];

function linesOf(file: string): readonly string[] {
  return readFileSync(file, 'utf8').trimEnd().split(/\r?\n/);
}

const distinct = (entries: readonly string[]) => [...new Set(entries)].sort();

describe('while others create and delete reports', { skip: whyNo('curl') }, () => {
  let setup: Awaited<ReturnType<typeof startServer>>;
  let writers: Writers;
  let folder: string;
  let token: string;

  before(async () => {
    setup = await startServer();
    const { admin, server, installation } = setup;
    await admin.addService({ slug: 'ply' });
    ({ token } = await admin.addAccount({ name: 'writer', roles: ['researcher'] }));
    writers = new Writers(clientOf(server.url, token));
    installation.file('fetch', fetchScript());
    installation.file('header', `Authorization: Bearer ${token}\n`);
    folder = join(installation.folder, 'fetched');
    mkdirSync(folder);
    await writers.createMany(REPORTS);
  });
  after(() => setup.installation.close());

  /** Returns the exit code of the script: 0 if the file is new, 2 if it is unchanged. */
  async function fetchTo(file: string, path: string): Promise<number> {
    const { installation, server } = setup;
    const url = `${server.url}/feed/ply/export/${path}`;
    const child = spawn('sh', [join(installation.folder, 'fetch'), url, file], {
      env: { ...process.env, RAPSHEET_HEADER: join(installation.folder, 'header') },
      timeout: 60_000,
    });
    const errors = text(child.stderr);
    const [code] = await once(child, 'exit');
    assert.ok(code === 0 || code === 2, `${code}: ${await errors}`);
    return code;
  }

  for (const { title, skip, path, entries, expected } of CONSUMERS) {
    it(`${title} loads every file, and the last is the feed`, { skip }, async () => {
      const file = join(folder, path);
      const before = writers.deleted;
      const end = writers.start(3);
      try {
        for (let round = 0; round < ROUNDS; round += 1) {
          await fetchTo(file, path);
          assert.ok(entries(file).length > REPORTS / 4);
        }
      } finally {
        await end();
      }
      assert.ok(writers.deleted > before, 'nothing was deleted meanwhile');
      await fetchTo(file, path);
      const all = [...writers.live].flatMap(([id, c2]) => expected(c2, id));
      assert.deepEqual(distinct(entries(file)), distinct(all));
      assert.equal(await fetchTo(file, path), 2, 'it is unchanged');
      assert.deepEqual(
        readdirSync(folder).filter((name) => /\.\w{6}$/.test(name)),
        [],
      );
    });
  }

  it('curl reads NDJSON that is the feed of one moment', async () => {
    const read = async () => {
      const url = `${setup.server.url}/feed/ply/export/ndjson`;
      const headers = join(setup.installation.folder, 'header');
      const child = spawn('curl', ['-fsS', '--compressed', '-H', `@${headers}`, url]);
      const lines = (await text(child.stdout)).trimEnd().split('\n');
      const [last, ...reports] = lines.map((line) => JSON.parse(line)).toReversed();
      assert.equal(last.rows, reports.length);
      return distinct(reports.map(({ id }) => id));
    };
    const end = writers.start(3);
    try {
      for (let round = 0; round < ROUNDS; round += 1) assert.ok((await read()).length > 0);
    } finally {
      await end();
    }
    assert.deepEqual(await read(), distinct([...writers.live.keys()]));
  });
});

describe('the settings of exports', () => {
  it('change what is listed, and the ETag', async () => {
    const { installation, server: first, admin } = await startServer();
    try {
      await admin.addService({ slug: 'ply' });
      const { token } = await admin.addAccount({ name: 'writer', roles: ['researcher'] });
      const writer = clientOf(first.url, token);
      for (const c2Address of ['a.good.example:1', '45.1.2.3:1', 'b.evil.example:1'])
        await writer.createReport('ply', { c2Address, file256Hash: 'ab'.repeat(32) });
      const read = async (url: string, format: string) => {
        const headers = { authorization: `Bearer ${token}` };
        const response = await fetch(`${url}/feed/ply/export/${format}`, { headers });
        return { body: await response.text(), etag: response.headers.get('etag') };
      };
      const before = [await read(first.url, 'txt'), await read(first.url, 'suricata')] as const;
      assert.match(before[0].body, /^a\.good\.example:1$/m);
      assert.match(before[1].body, /sid:90000001;/);
      await first.end('SIGTERM');

      const second = await installation.server({
        RAPSHEET_BASE_URL: first.url,
        RAPSHEET_ALLOW_LIST: 'good.example,45.1.0.0/16',
        RAPSHEET_SURICATA_FIRST_SID: '91000000',
      });
      const after = [await read(second.url, 'txt'), await read(second.url, 'suricata')] as const;
      assert.doesNotMatch(after[0].body, /good|45\.1/);
      assert.match(after[0].body, /^b\.evil\.example:1$/m);
      assert.match(after[0].body, /left out: 2 \(2 allow-list\)/);
      assert.match(after[1].body, /sid:91000003;/);
      assert.doesNotMatch(after[1].body, /sid:900/);
      assert.notEqual(after[0].etag, before[0].etag);
      assert.notEqual(after[1].etag, before[1].etag);
      await second.end('SIGTERM');

      // Without the settings the files are the same as before, and so are their tags.
      const third = await installation.server({ RAPSHEET_BASE_URL: first.url });
      assert.deepEqual(await read(third.url, 'txt'), await read(third.url, 'txt'));
      const again = [await read(third.url, 'txt'), await read(third.url, 'suricata')];
      assert.deepEqual(again, before);
    } finally {
      await installation.close();
    }
  });
});
