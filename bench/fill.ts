import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { digestToken, formatToken, tokenHint } from '../src/domain/accounts/token.ts';
import type { AnalysisReport } from '../src/domain/samples/analysis-report.ts';
import { formatUuidV7 } from '../src/domain/uuid.ts';
import { serializers } from '../src/http/responses/present.ts';
import type { AuditContext } from '../src/ports/audit-context.ts';
import type { NewReport } from '../src/ports/report-store.ts';
import { openDatabase } from '../src/storage/sqlite/open.ts';
import { Statements } from '../src/storage/sqlite/statements.ts';
import { addAccount } from '../src/storage/tables/accounts/accounts.ts';
import { putTlsh } from '../src/storage/tables/search/tlsh-index.ts';
import { addProposals } from '../src/storage/transactions/proposals/propose-reports.ts';
import { createReports } from '../src/storage/transactions/reports/create-reports.ts';
import { setStatus } from '../src/storage/transactions/reports/set-status.ts';
import { importAnalyses } from '../src/storage/transactions/samples/import-analyses.ts';
import { addService } from '../src/storage/transactions/services/add-service.ts';
import type { Runner } from '../src/storage/units/runner.ts';
import type { UnitOfWork } from '../src/storage/units/unit-of-work.ts';
import { marksOf, type Value } from './marks.ts';

/**
 * Every row is derived from its number, so the benchmarks know what a store holds without reading
 * it.
 */
const START = Date.UTC(2026, 0, 1);
const audit: AuditContext = { actor: 'bench', at: new Date(START) };
const BENCH = '00000000-0000-7000-8000-000000000001';
export const BENCH_TOKEN = formatToken(new Uint8Array(24).fill(7));
const CHUNK = 10_000;

const hexOf = (text: string, algorithm: string) => createHash(algorithm).update(text).digest('hex');

export const sampleSha256 = (number: number) => hexOf(`sample ${number}`, 'sha256');

export function reportId(number: number): string {
  const random = createHash('sha256').update(`report ${number}`).digest().subarray(0, 10);
  return formatUuidV7(new Date(START + number), random);
}

function sampleOf(number: number): AnalysisReport {
  const text = `sample ${number}`;
  return {
    date: new Date(START + number * 1000),
    tags: [
      { heat: 10, name: 'ASYNCRAT' },
      { heat: 5, name: 'PERSISTENCE_SCHTASKS' },
      { heat: 1, name: 'DOTNET' },
      { heat: 1, name: 'PE32' },
    ],
    // No real sample has this block size. A million equal fuzzy hashes of a real one would be
    // indexed during the measurements.
    ssdeep: '769:aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5zA7bC9dE1fG3hI5jK7lM9nO1pQ3:aB3dE5fG7hI9jK1',
    configs: {
      ASYNCRAT: {
        C2s: `host${number % 5000}.example.invalid`,
        Ports: '4444',
        Mutex: 'AsyncMutex_6SI8OkPnk',
        Version: '0.5.8',
      },
    },
    md5: hexOf(text, 'md5'),
    sha1: hexOf(text, 'sha1'),
    sha256: hexOf(text, 'sha256'),
    sha512: hexOf(text, 'sha512'),
    blake3: hexOf(`blake3 ${number}`, 'sha256'),
    fileName: `sample-${number}.exe`,
    sizeBytes: 40_000 + number,
    duration: '00:00:00.0427370',
  };
}

export const reportedAt = (number: number) => new Date(START + number * 1000);

export function reportOf(number: number, count: number): NewReport {
  const mark = marksOf(number, count);
  const reporter = mark('reporter') ?? 'bench';
  return {
    id: reportId(number),
    service: 'ply',
    tags: ['asyncrat', 'rat', ...[mark('tag') ?? []].flat()],
    c2: mark('c2') ?? {
      host: mark('host') ?? `host${number % 50_000}.ply.example`,
      port: mark('port') ?? 1024 + (number % 60_000),
    },
    sha256: mark('hash') ?? sampleSha256(number),
    reference: `https://research.example/${number}`,
    confidence: mark('confidence') ?? 80,
    reporterId: ACCOUNTS[reporter],
    reportedBy: reporter,
    reportedAt: reportedAt(number),
    retry: undefined,
  };
}

const ACCOUNTS: Readonly<Record<Value<'reporter'> | 'bench', string>> = {
  bench: BENCH,
  frequent: '00000000-0000-7000-8000-000000000003',
  seldom: '00000000-0000-7000-8000-000000000005',
};

/** Adds a service, its owner with `BENCH_TOKEN` and a sufficient quota, and other reporters. */
function* addAccounts(): UnitOfWork<void> {
  yield* addService(
    {
      slug: 'ply',
      name: 'Ply',
      confidenceScale: 100,
      hosts: [],
      networks: [],
      // No report may expire during a measurement, however old the stored files are.
      expireAfterDays: 3650,
      createdAt: audit.at,
    },
    audit,
  );
  for (const [name, id] of Object.entries(ACCOUNTS)) {
    const token =
      id === BENCH
        ? BENCH_TOKEN
        : formatToken(createHash('sha256').update(id).digest().subarray(0, 24));
    yield* addAccount(
      {
        id,
        name,
        roles: ['researcher'],
        services: id === BENCH ? ['ply'] : [],
        quota: { limit: 1_000_000_000, period: 'none' },
        expiresAt: undefined,
      },
      {
        id: id.replace(/.$/, (last) => String(Number(last) + 1)),
        digest: digestToken(token),
        hint: tokenHint(token),
        label: '',
        expiresAt: undefined,
      },
      audit,
    );
  }
}

/** Sets the status of the marked reports, as an abuse desk does. */
function setStatuses(statements: Statements, numbers: readonly number[], count: number): void {
  for (const [status, marked] of Map.groupBy(numbers, (number) =>
    marksOf(number, count)('status'),
  )) {
    if (status === undefined) continue;
    const ids = marked.map(reportId);
    const at = reportedAt(numbers.at(-1) ?? 0);
    statements.perform(
      setStatus(
        { service: 'ply', ids, limit: ids.length },
        { status, reason: undefined, note: undefined, actor: 'bench', accountId: BENCH, at },
      ),
    );
  }
}

/** Creates a proposal for every tenth file. */
function* propose(numbers: readonly number[]): UnitOfWork<void> {
  for (const number of numbers) {
    if (number % 10 !== 0) continue;
    const uploader = { accountId: BENCH, fileName: `sample-${number}.exe` };
    const report = {
      service: 'ply',
      c2: { host: `c2-${number}.ply.example`, port: 4444 },
      family: 'ASYNCRAT',
      tags: ['asyncrat'],
    };
    yield* addProposals(sampleSha256(number), [{ uploader, report }], reportedAt(number));
  }
}

const TLSH_BYTES = 35;
/** So few that every store has more files of each than a search reads. */
const TLSH_KINDS = 7;

/** The TLSH of a sample: that of its kind, but for one byte. */
export function tlshOf(number: number): string {
  const kind = createHash('sha512')
    .update(`tlsh ${number % TLSH_KINDS}`)
    .digest();
  const digest = kind.subarray(0, TLSH_BYTES);
  digest[3 + (number % (TLSH_BYTES - 3))] = number % 256;
  return `T1${digest.toString('hex').toUpperCase()}`;
}

/** Indexes every tenth sample, whose identifier is its number. */
function* putDigests(numbers: readonly number[]): UnitOfWork<void> {
  for (const number of numbers) if (number % 10 === 1) yield* putTlsh(number, tlshOf(number));
}

/**
 * Fills a store with `count` samples and reports through the server's own statements, so that
 * changes, tags, sightings and search terms are written too.
 */
export function fillStore(folder: string, count: number, progress: (done: number) => void): void {
  const db = openDatabase(join(folder, 'rapsheet.db'));
  // Durability is not needed, and the store fits into memory.
  db.exec('pragma synchronous = off; pragma cache_size = -4000000; pragma wal_autocheckpoint = 0');
  const statements = new Statements(db);
  db.exec('begin');
  statements.perform(addAccounts());
  for (let done = 0; done < count; done += CHUNK) {
    const numbers = Array.from({ length: Math.min(CHUNK, count - done) }, (_, at) => done + at + 1);
    statements.perform(importAnalyses(numbers.map(sampleOf), audit.at, serializers));
    statements.perform(
      createReports(
        numbers.map((number) => reportOf(number, count)),
        serializers,
      ),
    );
    setStatuses(statements, numbers, count);
    statements.perform(propose(numbers));
    statements.perform(putDigests(numbers));
    progress(done + numbers.length);
  }
  db.exec('commit; pragma wal_checkpoint(truncate)');
  db.close();
}

/** Fills PostgreSQL likewise, but sets no statuses. */
export async function fillPostgres(
  runner: Runner,
  count: number,
  progress: (done: number) => void,
): Promise<void> {
  const chunk = 1000;
  await runner.write(addAccounts);
  for (let done = 0; done < count; done += chunk) {
    const numbers = Array.from({ length: Math.min(chunk, count - done) }, (_, at) => done + at + 1);
    await runner.write(() => importAnalyses(numbers.map(sampleOf), audit.at, serializers));
    const reports = numbers.map((number) => reportOf(number, count));
    await runner.write(() => createReports(reports, serializers));
    progress(done + numbers.length);
  }
}
