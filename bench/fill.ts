import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { AnalysisReport } from '../src/domain/analysis-report.ts';
import { digestToken, formatToken, tokenHint } from '../src/domain/token.ts';
import { formatUuidV7 } from '../src/domain/uuid.ts';
import { readyForms } from '../src/http/present.ts';
import type { Act, NewReport } from '../src/ports/store.ts';
import { addAccount } from '../src/storage/sql/accounts.ts';
import { createReports } from '../src/storage/sql/reports.ts';
import { putSamples } from '../src/storage/sql/samples.ts';
import { addService } from '../src/storage/sql/services.ts';
import { openDatabase } from '../src/storage/sqlite/open.ts';
import { Statements } from '../src/storage/sqlite/statements.ts';

/** Everything is made from its number, so a store can be asked for what it holds without being read. */
const START = Date.UTC(2026, 0, 1);
const act: Act = { actor: 'bench', at: new Date(START) };
const accountId = '00000000-0000-7000-8000-000000000001';
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
    ssdeep: '768:aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5zA7bC9dE1fG3hI5jK7lM9nO1pQ3:aB3dE5fG7hI9jK1',
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

function reportOf(number: number): NewReport {
  return {
    id: reportId(number),
    service: 'ply',
    tags: ['asyncrat', 'rat'],
    c2: { host: `host${number % 50_000}.ply.example`, port: 1 + (number % 65_535) },
    sha256: sampleSha256(number),
    reference: `https://research.example/${number}`,
    confidence: 80,
    reporterId: accountId,
    reportedBy: 'bench',
    reportedAt: new Date(START + number * 1000),
    retry: undefined,
  };
}

/** A store with so many samples and reports, one service, and one researcher with `BENCH_TOKEN` and units enough. */
export function fillStore(folder: string, count: number, progress: (done: number) => void): void {
  const db = openDatabase(join(folder, 'rapsheet.db'));
  // Nothing here must survive a crash, and all of it fits into memory.
  db.exec('pragma synchronous = off; pragma cache_size = -4000000; pragma wal_autocheckpoint = 0');
  const statements = new Statements(db);
  db.exec('begin');
  statements.perform(
    addService(
      {
        slug: 'ply',
        name: 'Ply',
        confidenceScale: 100,
        hosts: [],
        networks: [],
        createdAt: act.at,
      },
      act,
    ),
  );
  statements.perform(
    addAccount(
      {
        id: accountId,
        name: 'bench',
        roles: ['researcher'],
        services: [],
        quota: { limit: 1_000_000_000, period: 'none' },
        expiresAt: undefined,
      },
      {
        id: '00000000-0000-7000-8000-000000000002',
        digest: digestToken(BENCH_TOKEN),
        hint: tokenHint(BENCH_TOKEN),
        label: '',
        expiresAt: undefined,
      },
      act,
    ),
  );
  for (let done = 0; done < count; done += CHUNK) {
    const numbers = Array.from({ length: Math.min(CHUNK, count - done) }, (_, at) => done + at + 1);
    statements.perform(putSamples(numbers.map(sampleOf), act.at, readyForms));
    statements.perform(createReports(numbers.map(reportOf), readyForms));
    progress(done + numbers.length);
  }
  db.exec('commit; pragma wal_checkpoint(truncate)');
  db.close();
}
