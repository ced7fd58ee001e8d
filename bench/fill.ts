import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { digestToken, formatToken, tokenHint } from '../src/domain/token.ts';
import { formatUuidV7 } from '../src/domain/uuid.ts';
import { presentAnalysis } from '../src/http/present.ts';
import { openDatabase } from '../src/storage/sqlite/open.ts';

/** Everything is made from its number, so a store can be asked for what it holds without being read. */
const START = Date.UTC(2026, 0, 1);
export const BENCH_TOKEN = formatToken(new Uint8Array(24).fill(7));

const bytesOf = (text: string, algorithm: string) => createHash(algorithm).update(text).digest();

export const sampleSha256 = (number: number) =>
  bytesOf(`sample ${number}`, 'sha256').toString('hex');

export function reportId(number: number): string {
  return formatUuidV7(
    new Date(START + number),
    bytesOf(`report ${number}`, 'sha256').subarray(0, 10),
  );
}

function sampleBody(number: number): string {
  const text = `sample ${number}`;
  return presentAnalysis({
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
    md5: bytesOf(text, 'md5').toString('hex'),
    sha1: bytesOf(text, 'sha1').toString('hex'),
    sha256: bytesOf(text, 'sha256').toString('hex'),
    sha512: bytesOf(text, 'sha512').toString('hex'),
    blake3: bytesOf(`blake3 ${number}`, 'sha256').toString('hex'),
    fileName: `sample-${number}.exe`,
    sizeBytes: 40_000 + number,
    duration: '00:00:00.0427370',
  });
}

/** A store with so many samples and reports, one service, and one unlimited researcher with `BENCH_TOKEN`. */
export function fillStore(folder: string, count: number, progress: (done: number) => void): void {
  mkdirSync(folder, { recursive: true });
  const db = openDatabase(join(folder, 'rapsheet.db'));
  // Made again at the end, in one go: a million random inserts into each would take minutes.
  const indexes = db
    .prepare(
      `select name, sql from sqlite_schema where type = 'index' and tbl_name = 'report' and sql is not null`,
    )
    .all();
  db.exec('pragma synchronous = off; begin');
  for (const { name } of indexes) db.exec(`drop index ${name}`);
  db.exec(`
    insert into service values (1, 'ply', 'Ply', 100, '["*.ply.example"]', '[]', ${count}, '2026-01-01T00:00:00.000Z');
    insert into account values ('00000000-0000-7000-8000-000000000001', 'bench', '["researcher"]', 1000000000, 'none', 0, '', 0, 0, null, '2026-01-01T00:00:00.000Z');
  `);
  db.prepare(
    `insert into token values ('00000000-0000-7000-8000-000000000002', '00000000-0000-7000-8000-000000000001', ?, ?, '', '2026-01-01T00:00:00.000Z', null, null, null)`,
  ).run(digestToken(BENCH_TOKEN), tokenHint(BENCH_TOKEN));
  const sample = db.prepare('insert into sample values (?, ?, ?, ?, ?, ?)');
  const report = db.prepare(
    'insert into report values (?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const event = db.prepare(`insert into event values (1, ?, 'created', ?, ?)`);
  const digests: (readonly [Buffer, number, number])[] = [];
  for (let number = 1; number <= count; number += 1) {
    const text = `sample ${number}`;
    const [sha256, sha512, blake3] = [
      bytesOf(text, 'sha256'),
      bytesOf(text, 'sha512'),
      bytesOf(`blake3 ${number}`, 'sha256'),
    ];
    const at = new Date(START + number * 1000).toISOString();
    sample.run(number, sha256, sha512, blake3, at, sampleBody(number));
    digests.push([sha256, 1, number], [blake3, 2, number], [sha512, 3, number]);
    const id = reportId(number);
    report.run(
      id,
      number,
      number,
      'ASYNCRAT',
      '["asyncrat","rat"]',
      `host${number % 50_000}.ply.example`,
      1 + (number % 65_535),
      sha256.toString('hex'),
      '00000000-0000-7000-8000-000000000001',
      'bench',
      at,
      id,
      `https://research.example/${number}`,
      80,
    );
    event.run(number, id, at);
    if (number % 20_000 === 0) progress(number);
  }
  // In the order of the index: random inserts into three million rows would take ten times as long.
  digests.sort(([one], [other]) => Buffer.compare(one, other));
  const digest = db.prepare('insert into digest values (?, ?, ?, ?)');
  for (const [value, kind, id] of digests)
    digest.run(value, kind, id, kind === 1 ? 'ASYNCRAT' : null);
  for (const { sql } of indexes) db.exec(String(sql));
  db.exec('commit; pragma synchronous = full; pragma wal_checkpoint(truncate)');
  db.close();
}
