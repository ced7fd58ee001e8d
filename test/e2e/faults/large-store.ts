import { sha256Of } from '../../builders.ts';
import { TestInstallation } from '../../installation.ts';
import { Load } from '../cluster/load.ts';
import { OwnPostgres } from '../cluster/own-postgres.ts';
import { Consumers } from './consumers.ts';
import { footprintOf } from './footprint.ts';
import { Readers } from './readers.ts';
import { SingleServer } from './single-server.ts';

export interface LargeStorePlan {
  readonly reports: number;
  readonly kills: number;
  /** The folder of the PostgreSQL programs; SQLite without it. */
  readonly programs?: string;
}

export interface LargeStoreResult {
  readonly reports: number;
  /** The longest start of the server after a kill. */
  readonly startMs: number;
  /** The largest resident memory of the server. */
  readonly memoryMb: number;
  readonly broken: readonly string[];
}

const DATABASE = 'postgres';
/** The maximum of lines in a bulk create. */
const LINES = 10_000;
const PAGE = 1000;
/** A server on a small store starts in a second. */
const MAX_START_MS = 15_000;
const MAX_MEMORY_MB = 1000;
const MIB = 1024 * 1024;

/**
 * Fills a feed, kills the server under creates and whole exports, and walks the feed in every way.
 * Each way must return each acknowledged report once.
 */
export async function largeStore(plan: LargeStorePlan): Promise<LargeStoreResult> {
  const { programs } = plan;
  const database = programs === undefined ? undefined : await OwnPostgres.create(programs);
  const installation = new TestInstallation();
  const settings = database && { RAPSHEET_DATABASE_URL: database.urlOf(DATABASE) };
  const server = new SingleServer(installation, settings);
  try {
    await server.start();
    const { token } = await server.prepare();
    const feed = new Feed(server, token);
    await feed.fill(plan.reports);
    const load = new Load(server, token);
    const readers = new Readers(server, token, load);
    const consumers = new Consumers(server, token);
    const broken: string[] = [];
    let startMs = 0;
    let memoryMb = 0;
    for (let kill = 0; kill < plan.kills; kill += 1) {
      if (!(await load.makesProgress())) broken.push('nothing was acknowledged');
      memoryMb = Math.max(memoryMb, Math.round(footprintOf(server.pid).rssBytes / MIB));
      await server.end('SIGKILL');
      const startedAt = performance.now();
      await server.start();
      startMs = Math.max(startMs, Math.round(performance.now() - startedAt));
    }
    const { sent, broken: refusals } = await load.stop();
    await readers.stop();
    await consumers.stop();
    memoryMb = Math.max(memoryMb, Math.round(footprintOf(server.pid).rssBytes / MIB));
    if (startMs > MAX_START_MS) broken.push(`a start took ${startMs} ms`);
    if (memoryMb > MAX_MEMORY_MB) broken.push(`the server used ${memoryMb} MB`);
    const expected = plan.reports + sent.length;
    broken.push(...refusals, ...readers.broken, ...consumers.broken);
    broken.push(...(await feed.differencesFrom(expected)));
    await server.end('SIGTERM');
    broken.push(...(await server.examine()));
    return { reports: expected, startMs, memoryMb, broken };
  } finally {
    await installation.close();
    await database?.remove();
  }
}

/** The feed of the trial, as its clients see it. */
class Feed {
  readonly #server: SingleServer;
  readonly #token: string;

  constructor(server: SingleServer, token: string) {
    this.#server = server;
    this.#token = token;
  }

  async fill(count: number): Promise<void> {
    for (let from = 0; from < count; from += LINES) {
      const lines = Array.from({ length: Math.min(LINES, count - from) }, (_, line) =>
        lineOf(from + line),
      );
      const text = await this.#call('/reports', { method: 'POST', body: lines.join('\n') });
      if (text.includes('"successful":false')) throw new Error('a report was refused');
    }
  }

  /** Returns a sentence for each way to read the feed that does not return all reports. */
  async differencesFrom(expected: number): Promise<string[]> {
    const counts = {
      pages: await this.#countPages(),
      changes: await this.#countChanges(),
      'the export': await this.#countExported(),
    };
    return Object.entries(counts)
      .filter(([, count]) => count !== expected)
      .map(([way, count]) => `${way} returned ${count} of ${expected} reports`);
  }

  async #countPages(): Promise<number> {
    const ids = new Set<string>();
    for (let cursor = ''; ; ) {
      const page = JSON.parse(await this.#call(`/reports?limit=${PAGE}${cursor}`));
      for (const { id } of page.reports) ids.add(id);
      if (!page.hasMore) return ids.size;
      cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`;
    }
  }

  async #countChanges(): Promise<number> {
    let created = 0;
    for (let since = 0; ; ) {
      const page = JSON.parse(await this.#call(`/changes?limit=${PAGE}&since=${since}`));
      for (const { type } of page.changes) if (type === 'created') created += 1;
      if (!page.hasMore) return created;
      since = page.next;
    }
  }

  async #countExported(): Promise<number> {
    const text = await this.#call('/export/csv');
    return Number(/# END rows=(\d+) /.exec(text)?.[1]);
  }

  async #call(path: string, { method = 'GET', body }: { method?: string; body?: string } = {}) {
    const [url] = this.#server.urls;
    const answer = await fetch(`${url}/feed/ply${path}`, {
      method,
      headers: { authorization: this.#token, 'content-type': 'application/x-ndjson' },
      ...(body !== undefined && { body }),
    });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${text}`);
    return text;
  }
}

function lineOf(number: number): string {
  return JSON.stringify({
    c2Address: `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}:443`,
    file256Hash: sha256Of(`filled ${number}`),
    tags: ['rat', `campaign-${number % 50}`],
  });
}
