import { wireAnalysis } from '../../builders.ts';
import type { AttackCase } from '../case.ts';
import { fillFeed } from '../fill.ts';
import type { Target } from '../target.ts';

const STATUS = { status: 'acknowledged' };
/** Large enough that work proportional to it exceeds the limit of a turn. */
const FEED = 30_000;
/** The file of many reports. */
const SHARED_FILE = 'shared';
const LARGE_TAGS = Array.from({ length: 32 }, (_, index) => `${index}-${'t'.repeat(60)}`);

async function fillLargeFeed(target: Target): Promise<void> {
  await fillFeed(target, { service: 'ply', count: FEED });
}

async function idsIn(target: Target, limit: number): Promise<readonly string[]> {
  const answer = await target.call('reader', `/feed/ply/reports?limit=${limit}`);
  const { reports } = (await answer.json()) as { reports: { readonly id: string }[] };
  return reports.map(({ id }) => id);
}

async function patch(target: Target, path: string, body: object): Promise<readonly string[]> {
  const answer = await target.call('owner', path, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  return answer.status === 200 ? [] : [`answered ${answer.status}: ${text.slice(0, 200)}`];
}

/** Requests that must neither scan the store nor block the event loop. */
export const cost: readonly AttackCase[] = [
  {
    name: `status changes of single reports in a feed of ${FEED} reports`,
    safe: 'finds each row by its id',
    isLoad: true,
    prepare: fillLargeFeed,
    async run(target) {
      const unsafe: string[] = [];
      for (const id of await idsIn(target, 10))
        unsafe.push(...(await patch(target, `/feed/ply/reports/${id}`, STATUS)));
      return unsafe;
    },
  },
  {
    name: `a status change of 1,000 ids in a feed of ${FEED} reports`,
    safe: 'updates in batches',
    isLoad: true,
    isLong: true,
    prepare: fillLargeFeed,
    run: async (target) =>
      patch(target, '/feed/ply/reports', { ids: await idsIn(target, 1000), ...STATUS }),
  },
  {
    name: `twenty concurrent counts of a feed of ${FEED} reports`,
    safe: 'counts up to 10,000, in batches',
    isLoad: true,
    isLong: true,
    prepare: fillLargeFeed,
    run: (target) => all(20, () => get(target, '/feed/ply/reports?count=true&limit=1')),
  },
  {
    name: 'a list by confidence over 550 nearly empty feeds',
    safe: 'reads a limited number of rows per turn',
    isLoad: true,
    isLong: true,
    async prepare(target) {
      const admin = target.client('admin');
      for (let index = 0; index < 550; index += 1) {
        await admin.addService({ slug: `feed-${index}` });
        await fillFeed(target, { service: `feed-${index}`, count: 1 });
      }
    },
    run: (target) => all(4, () => get(target, '/feed/all/reports?min_confidence=1&limit=1000')),
  },
  {
    name: 'sixty concurrent pages of 1,000 large reports',
    safe: 'streams them in batches, and refuses those above the limit of the account',
    isLoad: true,
    // All 270 MB are read. With a large heap limit their garbage is collected late; with
    // `--max-old-space-size=250` memory grows by 180 MB.
    maxGrownMb: 600,
    prepare: async (target) => {
      await fillFeed(target, {
        service: 'ply',
        count: 2000,
        member: () => ({
          tags: LARGE_TAGS,
          referenceLink: `https://reports.example/${'p'.repeat(1900)}`,
        }),
      });
    },
    run: (target) => all(60, () => get(target, '/feed/ply/reports?limit=1000', [200, 503])),
  },
  {
    name: 'bulk creates of 500 reports with 32 new tags each',
    safe: 'writes them in batches',
    isLoad: true,
    async run(target) {
      await fillFeed(target, {
        service: 'ply',
        count: 500,
        member: (index) => ({
          tags: Array.from({ length: 32 }, (_, tag) => `new-${index}-${tag}`),
        }),
      });
      return [];
    },
  },
  {
    name: 'an analysis that renames the 20,000 reports of its file',
    safe: 'stores it at once, and renames in batches',
    isLoad: true,
    isLong: true,
    prepare: async (target) => {
      const file256Hash = wireAnalysis(SHARED_FILE).sha256Hash;
      await fillFeed(target, { service: 'ply', count: 20_000, member: () => ({ file256Hash }) });
    },
    run: renameAll,
  },
  {
    name: 'a URL of 8 kB that targets a quadratic regular expression, logged at debug level',
    safe: 'responds in time linear in its length',
    isLoad: true,
    settings: { RAPSHEET_LOG_LEVEL: 'debug' },
    run: (target) => get(target, `/feed/ply/reports?${'?key'.repeat(1950)}`, [400, 401, 404], 5000),
  },
];

async function renameAll(target: Target): Promise<readonly string[]> {
  const analysis = wireAnalysis(SHARED_FILE);
  const { status } = await target.call('admin', '/admin/samples', {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: JSON.stringify(analysis),
  });
  if (status !== 200) return [`the import answered ${status}`];
  const deadline = performance.now() + 120_000;
  for (;;) {
    const oldest = await target.call('reader', '/feed/ply/reports?limit=1&order=asc');
    const newest = await target.call('reader', '/feed/ply/reports?limit=1&order=desc');
    const names = [await nameIn(oldest), await nameIn(newest)];
    if (names.every((name) => name === 'LANTERN')) return [];
    if (performance.now() > deadline) return [`after two minutes the names are ${names}`];
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function nameIn(answer: Response): Promise<string | undefined> {
  const { reports } = (await answer.json()) as { reports: { readonly name: string }[] };
  return reports[0]?.name;
}

async function get(
  target: Target,
  path: string,
  statuses: readonly number[] = [200],
  withinMs = 60_000,
): Promise<readonly string[]> {
  const startedAt = performance.now();
  const answer = await target.call('reader', path);
  await answer.arrayBuffer();
  const ms = performance.now() - startedAt;
  return [
    ...(statuses.includes(answer.status) ? [] : [`answered ${answer.status}`]),
    ...(ms <= withinMs ? [] : [`took ${Math.round(ms)} ms`]),
  ];
}

async function all(
  count: number,
  one: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const found = await Promise.all(Array.from({ length: count }, one));
  return [...new Set(found.flat())];
}
