import { hash } from 'node:crypto';
import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { tlsh } from '../../src/analysis/hashing/tlsh.ts';
import {
  formatTlsh,
  parseTlsh,
  type Tlsh,
  tlshBands,
  tlshDistance,
} from '../../src/domain/samples/tlsh.ts';
import { openSqliteStore } from '../../src/storage/sqlite/open.ts';
import { build, Chance } from '../../test/fixtures/analysis/ssdeep/recipes.ts';
import { newAccount, newToken, testForms } from '../../test/storage/contracts/store-contract.ts';

/**
 * Three figures of TLSH: the speed of the digest to that of MD5, the time of a search in a small
 * and in a large store, and how many variants of a file a search finds, by their distance.
 * `--count` is the number of files in the large store.
 */
const SPEED_BYTES = 50_000_000;
const MIN_SPEED = 0.12;
const MAX_GROWTH = 3;
const FAMILIES = 120;
const VARIANTS = 20;
const FEW = 10_000;
const at = process.argv.indexOf('--count');
const MANY = at === -1 ? 200_000 : Number(process.argv[at + 1]);
const NOW = new Date('2026-08-26T10:00:00Z');

/** CPU time: other processes of the machine count less. */
function cpuMs(work: () => unknown): number {
  const times = Array.from({ length: 4 }, () => {
    const start = process.cpuUsage().user;
    work();
    return (process.cpuUsage().user - start) / 1000;
  });
  return Math.min(...times);
}

function verdict(holds: boolean, text: string): void {
  console.log(`${holds ? 'holds ' : 'MISSED'}  ${text}`);
}

function measureSpeed(): void {
  for (const recipe of ['random 1', 'code 2', 'text 3']) {
    const bytes = build(`${recipe} ${SPEED_BYTES}`);
    const [ours, md5] = [cpuMs(() => tlsh(bytes)), cpuMs(() => hash('md5', bytes))];
    const ratio = md5 / ours;
    const rate = Math.round(SPEED_BYTES / 1000 / ours);
    const text = `TLSH of ${recipe}: ${rate} MB/s, ${ratio.toFixed(2)} of MD5 (≥ ${MIN_SPEED})`;
    verdict(ratio >= MIN_SPEED, text);
  }
}

interface Variant {
  readonly base: number;
  readonly distance: number;
  readonly digest: string;
}

const chance = new Chance(1);

/** Real files: generated ones are too much alike, so that most of their bands are equal. */
const real = globSync('node_modules/**/*.{js,cjs,mjs,ts,wasm,json,md,node}')
  .filter((path) => statSync(path).isFile() && statSync(path).size < 300_000)
  .filter((_, index) => index % 4 === 0)
  .map((path) => readFileSync(path))
  .filter((bytes) => bytes.length > 1000 && tlsh(bytes) !== undefined);

function digestOf(bytes: Buffer): Tlsh {
  const digest = parseTlsh(tlsh(bytes) ?? '');
  if (digest === undefined) throw new Error('a file has no digest');
  return digest;
}

/** A copy with bytes overwritten, or replaced by those of another file. */
function changed(bytes: Buffer, share: number): Buffer {
  const copy = Buffer.from(bytes);
  const count = Math.ceil(bytes.length * share);
  if (chance.below(2) === 0) chance.pick(real).copy(copy, chance.below(copy.length), 0, count);
  else
    for (let change = 0; change < count; change += 1)
      copy[chance.below(copy.length)] = chance.below(256);
  return copy;
}

/** Some of the files, and changed copies of each. */
function families() {
  const bases: Tlsh[] = [];
  const variants: Variant[] = [];
  for (let family = 0; family < FAMILIES; family += 1) {
    const file = chance.pick(real);
    const base = digestOf(file);
    bases.push(base);
    for (let variant = 0; variant < VARIANTS; variant += 1) {
      const digest = digestOf(changed(file, 0.0005 * 2 ** (variant % 10)));
      const distance = tlshDistance(base, digest);
      variants.push({ base: family, distance, digest: formatTlsh(digest) });
    }
  }
  return { bases, variants };
}

/** Each band of an invented digest is that of some file, so that bands are as common as there. */
function invented(bases: readonly Tlsh[], files: readonly Tlsh[]): Tlsh {
  const body = new Uint8Array(32);
  for (let index = 0; index < 32; index += 2)
    body.set(
      chance.pick(chance.below(4) === 0 ? bases : files).body.subarray(index, index + 2),
      index,
    );
  return { ...chance.pick(files), body };
}

async function fill(file: string, count: number, bases: readonly Tlsh[]): Promise<void> {
  await openSqliteStore(file, testForms).close();
  const files = real.map(digestOf);
  const db = new DatabaseSync(file);
  db.exec('pragma synchronous = off; begin');
  const sample = db.prepare(
    "insert into sample (id, sha256, blake3, sha512, analysed_at, body) values (?, ?, ?, ?, '', '{}')",
  );
  const shown = db.prepare("insert into fuzzy_hash values (?, '', ?, '[]', 0)");
  const digest = db.prepare('insert into tlsh values (?, ?)');
  const band = db.prepare('insert into tlsh_band values (?, ?)');
  const step = Math.floor(count / bases.length);
  for (let id = 0; id < count; id += 1) {
    const base = id % step === 0 ? bases[id / step] : undefined;
    const one = base ?? invented(bases, files);
    const hashed = Buffer.alloc(64);
    hashed.writeUInt32LE(id);
    sample.run(id, hashed.subarray(0, 32), hashed.subarray(0, 32), hashed);
    shown.run(id, base === undefined ? 'other' : `family ${id / step}`);
    digest.run(id, formatTlsh(one));
    for (const key of tlshBands(one)) band.run(key, id);
  }
  db.exec('commit; analyze');
  db.close();
}

interface Search {
  readonly ms: number;
  readonly found: ReadonlySet<Variant>;
}

/** The time of a search (median), and the variants whose base was found. */
async function searchAll(file: string, variants: readonly Variant[]): Promise<Search> {
  const store = openSqliteStore(file, testForms);
  const account = newAccount({ quota: { limit: null, period: 'none' } });
  await store.accounts.add(account, newToken(), { actor: 'bench', at: NOW });
  const found = new Set<Variant>();
  const times: number[] = [];
  for (const variant of variants) {
    const asked = { accountId: account.id, by: 'tlsh', to: variant.digest } as const;
    const start = performance.now();
    const answer = await store.samples.similar({ ...asked, limit: 50, now: NOW });
    times.push(performance.now() - start);
    const others = answer.found ?? [];
    const isFound = others.some(({ fileName }) => fileName === `family ${variant.base}`);
    // Fifty others that are as close fill the answer.
    if (isFound || (others[49]?.distance ?? Number.POSITIVE_INFINITY) <= variant.distance)
      found.add(variant);
  }
  await store.close();
  return { ms: times.sort((a, b) => a - b)[times.length >> 1] ?? 0, found };
}

function printRecall(count: number, variants: readonly Variant[], found: Search['found']): void {
  const byDistance = Map.groupBy(variants, ({ distance }) => Math.ceil(distance / 10) * 10);
  const parts = [...byDistance]
    .sort(([a], [b]) => a - b)
    .map(([limit, those]) => {
      const share = those.filter((one) => found.has(one)).length / those.length;
      return `≤ ${limit}: ${Math.round(share * 100)} % of ${those.length}`;
    });
  console.log(`        found among ${count} files, by distance: ${parts.join(', ')}`);
}

async function measureSearch(): Promise<void> {
  const { bases, variants } = families();
  const asked = variants.filter(({ distance }) => distance <= 100);
  const times: number[] = [];
  for (const count of [FEW, MANY]) {
    const folder = mkdtempSync(join(tmpdir(), 'rapsheet-bench-tlsh-'));
    try {
      const file = join(folder, 'store.db');
      await fill(file, count, bases);
      const { ms, found } = await searchAll(file, asked);
      times.push(ms);
      printRecall(count, asked, found);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
  const [few = 0, many = 0] = times;
  const growth = many / few;
  const text = `a search among ${MANY} files takes ${many.toFixed(1)} ms, ${growth.toFixed(2)} of that among ${FEW} (≤ ${MAX_GROWTH})`;
  verdict(growth <= MAX_GROWTH, text);
}

measureSpeed();
await measureSearch();
