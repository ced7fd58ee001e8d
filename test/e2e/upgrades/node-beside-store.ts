import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { RapsheetClient } from '../../../src/client/client.ts';
import { newTokenText } from '../../../src/operations/accounts/issue-token.ts';
import { REFUSED_EXIT } from '../../../src/server/refusal.ts';
import { TestInstallation, type TestServer } from '../../installation.ts';
import { OwnPostgres } from '../cluster/own-postgres.ts';
import { Creates, idsInTaxii } from './creates.ts';
import { newerProgram, olderProgram, type Program } from './programs.ts';

export interface UpgradeResult {
  /** Acknowledged by the older node. */
  readonly acknowledged: number;
  /** What it answered after the upgrade. */
  readonly refused: Readonly<Record<string, number>>;
  readonly broken: readonly string[];
}

interface UpgradePlan {
  /** The folder of the PostgreSQL programs. */
  readonly programs: string;
  /** How long the older node is called before and after the upgrade. */
  readonly forMs: number;
}

const ROLES = ['researcher'] as const;

/** Two versions on one database, of which the newer one migrates. */
class TwoVersions {
  readonly broken: string[] = [];
  readonly adminToken = newTokenText({ randomBytes });
  readonly older: TestInstallation;
  readonly newer: TestInstallation;
  readonly #settings: Readonly<Record<string, string>>;
  #token = '';

  constructor(databaseUrl: string, older?: Program, newer?: Program) {
    this.older = new TestInstallation(older?.entry);
    this.newer = new TestInstallation(newer?.entry);
    this.#settings = {
      RAPSHEET_DATABASE_URL: databaseUrl,
      RAPSHEET_SECRET_KEY: randomBytes(32).toString('hex'),
      RAPSHEET_ADMIN_TOKEN: this.adminToken,
      RAPSHEET_LOG_LEVEL: 'error',
    };
  }

  async startOlder(settings: Readonly<Record<string, string>> = {}): Promise<TestServer> {
    const server = await this.older.server({ ...this.#settings, ...settings });
    const admin = new RapsheetClient({ url: server.url, token: this.adminToken, retries: 0 });
    await admin.addService({ slug: 'ply' });
    const quota = { limit: 1_000_000, period: 'none' as const };
    this.#token = (await admin.addAccount({ name: 'alice', roles: [...ROLES], quota })).token;
    return server;
  }

  create(url: string): Creates {
    return new Creates(url, this.#token);
  }

  /** Runs a command of the newer version. */
  async run(...words: readonly string[]) {
    return await this.newer.runAlone(words, { settings: this.#settings });
  }

  expect(holds: boolean, otherwise: string): void {
    if (!holds) this.broken.push(otherwise);
  }

  /** The newer version refuses to migrate while the older node is connected. */
  async expectRefusal(node: RegExp): Promise<void> {
    for (const command of ['upgrade', 'serve']) {
      const { code, stderr } = await this.run(command);
      this.expect(
        code === 1 && /these are connected: /.test(stderr) && node.test(stderr),
        `${command} beside an older node ended with ${code}: ${stderr}`,
      );
    }
  }

  async upgradeBesideOthers(): Promise<void> {
    const { code, stderr } = await this.run('upgrade', '--beside-others');
    this.expect(code === 0, `the upgrade ended with ${code}: ${stderr}`);
  }

  /** Starts a node of the newer version, which has every acknowledged report on every surface. */
  async expectAll(acknowledged: readonly string[]): Promise<void> {
    const server = await this.newer.server(this.#settings);
    const more = this.create(server.url);
    await pause(500);
    await more.stop();
    this.expect(more.acknowledged.length > 0, 'the newer node creates no reports');
    const shown = await idsInTaxii(server.url, this.#token);
    const all = [...acknowledged, ...more.acknowledged];
    const missing = all.filter((id) => !shown.has(id));
    this.expect(missing.length === 0, `${missing.length} of ${all.length} are not in TAXII`);
    const { code, stdout } = await this.run('doctor');
    this.expect(code === 0, `doctor ended with ${code}: ${stdout}`);
    await server.end('SIGTERM');
  }

  result({ acknowledged, refused }: Creates): UpgradeResult {
    return {
      acknowledged: acknowledged.length,
      refused: Object.fromEntries(refused),
      broken: this.broken,
    };
  }

  async close(): Promise<void> {
    await this.older.close();
    await this.newer.close();
  }
}

/** A node of the last release, which knows nothing of the fence, beside an upgraded store. */
export async function olderBesideStore({ programs, forMs }: UpgradePlan): Promise<UpgradeResult> {
  const database = await OwnPostgres.create(programs);
  const program = olderProgram();
  const versions = new TwoVersions(database.urlOf('postgres'), program);
  try {
    const older = await versions.startOlder();
    const creates = versions.create(older.url);
    await pause(forMs);
    await versions.expectRefusal(/an older version from 127\.0\.0\.1/);
    await versions.upgradeBesideOthers();
    // Calls in flight may have been acknowledged before the migration.
    await pause(200);
    const before = creates.acknowledged.length;
    await pause(forMs);
    versions.expect(before > 0, 'nothing was acknowledged before the upgrade');
    versions.expect(
      creates.acknowledged.length === before,
      `the older node acknowledged ${creates.acknowledged.length - before} after the upgrade`,
    );
    await creates.stop();
    await versions.expectAll(creates.acknowledged);
    await older.end('SIGKILL');
    const again = await versions.older.runAlone(['serve'], { settings: settingsOf(database) });
    versions.expect(
      again.code === 1 && /written by a newer Rapsheet/.test(again.stderr),
      `the older version started again: ${again.stderr}`,
    );
    return versions.result(creates);
  } finally {
    await versions.close();
    program.remove();
    await database.remove();
  }
}

const settingsOf = (database: OwnPostgres) => ({
  RAPSHEET_DATABASE_URL: database.urlOf('postgres'),
  RAPSHEET_PORT: '0',
});

/** A node of this version beside a store that a later version has upgraded: it stops serving. */
export async function nodeStopsServing(
  { programs, forMs }: UpgradePlan,
  settings: Readonly<Record<string, string>> = {},
): Promise<UpgradeResult> {
  const database = await OwnPostgres.create(programs);
  const program = newerProgram();
  const versions = new TwoVersions(database.urlOf('postgres'), undefined, program);
  try {
    const node = await versions.startOlder(settings);
    const creates = versions.create(node.url);
    await pause(forMs);
    await versions.expectRefusal(/: \d{4} [\w.-]+:\d+#[0-9a-f]{4} from 127\.0\.0\.1/);
    await versions.upgradeBesideOthers();
    const ready = await fetch(`${node.url}/readyz`);
    versions.expect(
      ready.status === 503 && ready.headers.get('x-error-code') === 'not_admitted',
      `/readyz answers ${ready.status} ${ready.headers.get('x-error-code')}`,
    );
    await ready.text();
    const code = await node.ended();
    await creates.stop();
    versions.expect(code === REFUSED_EXIT, `the node ended with ${code}`);
    const others = [...creates.refused.keys()].filter(
      (reason) => reason !== 'not_admitted' && reason !== 'unavailable',
    );
    versions.expect(others.length === 0, `the node answered ${others.join(', ')}`);
    versions.expect(creates.refused.has('not_admitted'), 'the node did not say why it stops');
    await versions.expectAll(creates.acknowledged);
    return versions.result(creates);
  } finally {
    await versions.close();
    program.remove();
    await database.remove();
  }
}
