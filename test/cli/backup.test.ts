import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { RapsheetClient } from '../../src/client/client.ts';
import { onlyOnSqlite } from '../database.ts';
import { TestInstallation, waitForOutput } from '../installation.ts';

const sha256Of = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('rapsheet backup and restore', onlyOnSqlite('PostgreSQL has its own tools'), () => {
  const installation = new TestInstallation();
  const copy = join(installation.folder, 'copy');
  const sample = sha256Of('a sample');
  let settings: Record<string, string>;
  let acknowledged: readonly string[];
  let webhook: string;

  /** Unused data folders. */
  let made = 0;
  const emptyFolder = () => {
    made += 1;
    return join(installation.folder, `restored-${made}`);
  };
  const inFolder = (folder: string) => ({ settings: { RAPSHEET_DATA_DIR: folder } });

  const putKey = (folder: string, key: string) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'secret-key'), key, { mode: 0o600 });
  };

  const client = () =>
    new RapsheetClient({
      url: settings['RAPSHEET_URL'] ?? '',
      token: settings['RAPSHEET_TOKEN'] ?? '',
    });

  before(async () => {
    await installation.json('service', 'add', 'ply');
    const words = ['account', 'add', 'alice', '--researcher', '--service', 'ply'];
    const { token } = await installation.json(...words);
    const { url } = await installation.server();
    settings = { RAPSHEET_URL: url, RAPSHEET_TOKEN: token };
    const file = installation.file('sample.bin', 'a sample');
    await installation.run(['sample', 'add', file, '--no-wait'], { settings });
    const ids: string[] = [];
    let stopped = false;
    const writing = (async () => {
      while (!stopped) ids.push((await report()).id);
    })();
    await report();
    await client().signIn();
    webhook = (await client().addWebhook('ply', { url: 'https://desk.example/' })).webhook.id;
    await installation.json('account', 'link', 'alice');
    // The first cursor creates the secret of the store.
    await installation.run(['report', 'list', 'ply', '--limit', '1'], { settings });
    // As the first request of TAXII creates the namespace of object ids.
    const authorization = settings['RAPSHEET_TOKEN'] ?? '';
    const collections = `${settings['RAPSHEET_URL']}/taxii2/feeds/collections/`;
    assert.equal((await fetch(collections, { headers: { authorization } })).status, 200);
    acknowledged = [...ids];
    const { code, stderr } = await installation.run(['backup', copy]);
    stopped = true;
    await writing;
    assert.equal(code, 0, stderr);
    assert.ok(ids.length > acknowledged.length, 'nothing was written meanwhile');
  });
  after(() => installation.close());

  const report = () =>
    client().createReport('ply', {
      c2Address: `h${Math.random()}.example:443`,
      file256Hash: sample,
      tags: ['rat'],
    });

  it('backs up a running server completely, with a list of its files', () => {
    assert.deepEqual(readdirSync(copy).sort(), [
      'manifest.json',
      'rapsheet.db',
      'samples',
      'samples.txt',
    ]);
    const manifest = JSON.parse(readFileSync(join(copy, 'manifest.json'), 'utf8'));
    assert.equal(manifest.database.sha256, sha256Of(readFileSync(join(copy, 'rapsheet.db'))));
    assert.equal(manifest.samples.count, 1);
    assert.equal(readFileSync(join(copy, 'samples.txt'), 'utf8'), `${sample} 8\n`);
    assert.deepEqual(readdirSync(join(copy, 'samples')), [sample.slice(0, 2)]);
  });

  it('keeps the namespace of object ids, which a new secret would change', () => {
    const [live, copied] = [installation.dataDir, copy].map((folder) => {
      const db = new DatabaseSync(join(folder, 'rapsheet.db'), { readOnly: true });
      const found = db.prepare('select object_namespace as it from installation').get()?.['it'];
      db.close();
      return found;
    });
    assert.equal(typeof live, 'string');
    assert.equal(copied, live);
  });

  it('contains no secret, no token and no sample in clear text', () => {
    const live = new DatabaseSync(join(installation.dataDir, 'rapsheet.db'), { readOnly: true });
    const secret = live.prepare('select secret from installation').get()?.['secret'];
    const rowsOf = (db: DatabaseSync) =>
      ['session', 'sign_in_link'].map((table) => db.prepare(`select * from ${table}`).all().length);
    assert.deepEqual(rowsOf(live), [1, 1]);
    live.close();
    assert.ok(secret instanceof Uint8Array);
    const texts = [settings['RAPSHEET_TOKEN'] ?? '', 'a sample', secret];
    const db = new DatabaseSync(join(copy, 'rapsheet.db'), { readOnly: true });
    assert.deepEqual({ ...db.prepare('select secret from installation').get() }, { secret: null });
    // Restored, they would revive sessions that ended and links that were used.
    assert.deepEqual(rowsOf(db), [0, 0]);
    db.close();
    for (const file of readdirSync(copy, { recursive: true, withFileTypes: true })) {
      assert.ok(!['secret-key', 'admin-token'].includes(file.name));
      if (!file.isFile()) continue;
      const bytes = readFileSync(join(file.parentPath, file.name));
      for (const text of texts) assert.ok(!bytes.includes(text), file.name);
    }
  });

  it('restores everything acknowledged before the backup, and the doctor finds no problem', async () => {
    const folder = emptyFolder();
    const { code, stderr } = await installation.run(['restore', copy], inFolder(folder));
    assert.equal(code, 0, stderr);
    assert.deepEqual(readdirSync(folder).sort(), ['rapsheet.db', 'samples']);
    const db = new DatabaseSync(join(folder, 'rapsheet.db'), { readOnly: true });
    const ids = db
      .prepare('select id from report')
      .all()
      .map(({ id }) => String(id));
    db.close();
    assert.deepEqual(
      acknowledged.filter((id) => !ids.includes(id)),
      [],
    );
    putKey(folder, readFileSync(join(installation.dataDir, 'secret-key'), 'utf8'));
    const doctor = await installation.run(['doctor'], inFolder(folder));
    assert.equal(doctor.code, 0, doctor.stdout + doctor.stderr);
    assert.match(doctor.stdout, /^ok {5}files of samples$/m);
  });

  it('warns of a missing or another key, and says how to send the webhooks again', async () => {
    const key = readFileSync(join(installation.dataDir, 'secret-key'), 'utf8');
    const another = `${Buffer.alloc(32, 1).toString('base64')}\n`;
    for (const present of [undefined, another, key]) {
      const folder = emptyFolder();
      if (present !== undefined) putKey(folder, present);
      const { stderr, stdout } = await installation.run(
        ['restore', copy, '--json'],
        inFolder(folder),
      );
      const doctor = await installation.run(['doctor', '--quick'], inFolder(folder));
      assert.equal(existsSync(join(folder, 'secret-key')), present !== undefined, 'none is made');
      if (present === key) {
        assert.deepEqual([stderr, JSON.parse(stdout).unreadableSecrets], ['', []]);
        assert.equal(doctor.code, 0, doctor.stdout);
        continue;
      }
      assert.deepEqual(JSON.parse(stdout).unreadableSecrets, [{ service: 'ply', id: webhook }]);
      for (const text of [stderr, doctor.stdout]) {
        assert.match(text, /secret key is missing or not the one .* of 1 webhook, /);
        assert.ok(text.includes(`former data folder back as ${join(folder, 'secret-key')} and`));
        assert.match(text, new RegExp(`rapsheet webhook rotate ply ${webhook}$`, 'm'));
      }
      assert.equal(doctor.code, 1);
      assert.match(doctor.stdout, /^WRONG {2}secret key$/m);
    }
  });

  it('warns at a start with another key, and rotating the secret ends the warning', async () => {
    const folder = emptyFolder();
    await installation.run(['restore', copy], inFolder(folder));
    const child = installation.start(['serve'], {
      RAPSHEET_DATA_DIR: folder,
      RAPSHEET_PORT: '0',
      RAPSHEET_METRICS_PORT: '0',
      RAPSHEET_ANALYSIS_WORKERS: '0',
    });
    const [log, url = ''] = await waitForOutput(child, /^.*listens on (http:\S+)/s);
    const warnings = log.split('\n').filter((line) => /secret key/.test(line));
    assert.equal(warnings.length, 1);
    assert.partialDeepStrictEqual(JSON.parse(warnings[0] ?? ''), {
      level: 40,
      webhooks: [{ service: 'ply', id: webhook }],
    });
    const { RAPSHEET_TOKEN: token = '' } = settings;
    await new RapsheetClient({ url, token }).rotateWebhook('ply', webhook);
    const doctor = await installation.run(['doctor', '--quick'], inFolder(folder));
    assert.match(doctor.stdout, /^ok {5}secret key$/m);
  });

  it('never overwrites a backup', async () => {
    const { code, stderr } = await installation.run(['backup', copy]);
    assert.equal(code, 1);
    assert.match(stderr, /copy exists already/);
    mkdirSync(join(installation.folder, 'next.unfinished'));
    const other = await installation.run(['backup', join(installation.folder, 'next')]);
    assert.equal(other.code, 1);
    assert.match(other.stderr, /another backup is running, or one was interrupted/);
  });

  it('completes without a missing sample, and reports it', async () => {
    const folder = emptyFolder();
    await installation.run(['restore', copy], inFolder(folder));
    rmSync(join(folder, 'samples'), { recursive: true });
    const target = join(installation.folder, 'without');
    const { code, stderr } = await installation.run(['backup', target], inFolder(folder));
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`1 samples are missing or damaged in the store: ${sample}`));
    assert.ok(existsSync(join(target, 'manifest.json')));
  });

  it('leaves samples out on request', async () => {
    const target = join(installation.folder, 'no-samples');
    assert.equal((await installation.run(['backup', target, '--no-samples'])).code, 0);
    assert.deepEqual(readdirSync(target).sort(), ['manifest.json', 'rapsheet.db']);
    const { code, stdout } = await installation.run(['restore', target], inFolder(emptyFolder()));
    assert.equal(code, 0);
    assert.match(stdout, /and no samples/);
  });

  it('refuses a folder without a store', async () => {
    const { code, stderr } = await installation.run(
      ['backup', join(installation.folder, 'nothing')],
      inFolder(emptyFolder()),
    );
    assert.equal(code, 1);
    assert.match(stderr, /^rapsheet backup: there is no store in .*: set RAPSHEET_DATA_DIR .*\n$/);
    assert.ok(!existsSync(join(installation.folder, 'nothing.unfinished')));
  });

  it('refuses PostgreSQL, and refers to the page about its tools', async () => {
    const settings = { RAPSHEET_DATABASE_URL: 'postgres://me:pa55@127.0.0.1:1/rapsheet' };
    for (const words of [
      ['backup', join(installation.folder, 'of-postgres')],
      ['restore', copy],
    ]) {
      const { code, stderr } = await installation.run(words, { settings });
      assert.equal(code, 1);
      assert.match(stderr, /pg_dump.*docs\/operations\/backup\.md\n$/);
      assert.ok(!stderr.includes('pa55'));
    }
    assert.ok(!existsSync(join(installation.folder, 'of-postgres')));
  });

  const refusals: readonly [title: string, spoil: (backup: string) => void, message: RegExp][] = [
    [
      'a cut manifest',
      (at) => writeFileSync(join(at, 'manifest.json'), '{'),
      /manifest.json is not a manifest/,
    ],
    ['a missing manifest', (at) => rmSync(join(at, 'manifest.json')), /is not a complete backup/],
    [
      'a changed database',
      (at) => appendFileSync(join(at, 'rapsheet.db'), 'x'),
      /the backup is damaged/,
    ],
    [
      'a changed list',
      (at) => appendFileSync(join(at, 'samples.txt'), 'x'),
      /the backup is damaged/,
    ],
    [
      'a changed sample',
      (at) =>
        appendFileSync(join(at, 'samples', sample.slice(0, 2), sample.slice(2, 4), sample), 'x'),
      /is missing or damaged in the backup/,
    ],
    [
      'a missing sample',
      (at) => rmSync(join(at, 'samples'), { recursive: true }),
      /is missing or damaged/,
    ],
    [
      'a newer schema',
      (at) => {
        const file = join(at, 'manifest.json');
        const manifest = JSON.parse(readFileSync(file, 'utf8'));
        manifest.schema.push('9999-future');
        writeFileSync(file, JSON.stringify(manifest));
      },
      /newer Rapsheet.*9999-future/,
    ],
  ];
  for (const [title, spoil, message] of refusals) {
    it(`refuses to restore ${title}, and writes nothing`, async () => {
      const spoilt = join(installation.folder, `spoilt ${title}`);
      cpSync(copy, spoilt, { recursive: true });
      spoil(spoilt);
      const folder = emptyFolder();
      const { code, stdout, stderr } = await installation.run(
        ['restore', spoilt],
        inFolder(folder),
      );
      assert.equal(code, 1);
      assert.equal(stdout, '');
      assert.match(stderr, message);
      assert.equal(stderr.trimEnd().split('\n').length, 1);
      assert.ok(!existsSync(folder));
    });
  }

  it('refuses to restore into a folder in use, but accepts a folder with only the key', async () => {
    const used = await installation.run(['restore', copy]);
    assert.equal(used.code, 1);
    assert.match(used.stderr, /a backup is restored into empty folders only/);
    const folder = emptyFolder();
    mkdirSync(folder);
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    const other = await installation.run(['restore', copy], inFolder(folder));
    assert.match(other.stderr, /is not empty \(notes.txt\)/);
    rmSync(join(folder, 'notes.txt'));
    writeFileSync(join(folder, 'secret-key'), 'k');
    assert.equal((await installation.run(['restore', copy], inFolder(folder))).code, 0);
  });

  it('resumes an interrupted restore', async () => {
    const folder = emptyFolder();
    assert.equal((await installation.run(['restore', copy], inFolder(folder))).code, 0);
    rmSync(join(folder, 'rapsheet.db'));
    const refused = await installation.run(['restore', copy], inFolder(folder));
    assert.match(refused.stderr, /is not empty/);
    const manifest = JSON.parse(readFileSync(join(copy, 'manifest.json'), 'utf8'));
    writeFileSync(join(folder, 'restoring'), `${manifest.database.sha256}\n`);
    assert.equal((await installation.run(['restore', copy], inFolder(folder))).code, 0);
    assert.deepEqual(readdirSync(folder).sort(), ['rapsheet.db', 'samples']);
  });
});
