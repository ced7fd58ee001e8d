import type { AttackCase } from '../case.ts';
import { fillFeed } from '../fill.ts';
import type { Target } from '../target.ts';

/** The account that fills a feed is not slowed down. */
const UNLIMITED = { RAPSHEET_ACCOUNT_CREATES_PER_MINUTE: '0' };
const CALLS = 8;
const SERVICES = 20;
const HOSTS_OF_SERVICE = 1000;

const fill = (count: number) => (target: Target) => fillFeed(target, { service: 'ply', count });

/** Lists of values, services and reports whose cost must not be that of the whole store. */
export const lists: readonly AttackCase[] = [
  ...[
    { reports: 5000, isLong: false },
    { reports: 200_000, isLong: true },
  ].map(
    ({ reports, isLong }): AttackCase => ({
      name: `${CALLS} concurrent hash lists for MISP of a feed of ${reports} reports`,
      safe: 'builds the list once, in a thread, and does not send it again to those who have it',
      isLoad: true,
      isLong,
      settings: UNLIMITED,
      prepare: fill(reports),
      run: readHashes,
    }),
  ),
  {
    name: `${CALLS} concurrent lists of services with ${SERVICES * HOSTS_OF_SERVICE} hosts`,
    safe: 'sends few of them in a page',
    isLoad: true,
    async prepare(target) {
      for (let number = 0; number < SERVICES; number += 1)
        await target.client('admin').addService({
          slug: `many-${number}`,
          hosts: Array.from(
            { length: HOSTS_OF_SERVICE },
            (_, index) => `h${index}.many-${number}.example`,
          ),
        });
    },
    async run(target) {
      const unsafe = await Promise.all(Array.from({ length: CALLS }, () => readServices(target)));
      const admin = await target.client('admin').listServices();
      const hosts = admin.services.reduce((sum, service) => sum + service.hosts.length, 0);
      return [
        ...new Set(unsafe.flat()),
        ...(hosts < SERVICES * HOSTS_OF_SERVICE ? [`administrators got ${hosts} hosts`] : []),
      ];
    },
  },
  ...[
    { reports: 6000, isLong: false },
    { reports: 60_000, isLong: true },
  ].map(
    ({ reports, isLong }): AttackCase => ({
      name: `pages with two filters that nothing matches, in a feed of ${reports} reports`,
      safe: 'examines a bounded number of reports for each page, and continues by the cursor',
      isLoad: true,
      isLong,
      settings: UNLIMITED,
      prepare: fill(reports),
      run: (target) => readPairs(target, reports),
    }),
  ),
];

async function readHashes(target: Target): Promise<readonly string[]> {
  const read = async (etag = '') => {
    const headers = { 'if-none-match': etag };
    const answer = await target.call('reader', '/misp/ply/hashes.csv', { headers });
    const bytes = (await answer.arrayBuffer()).byteLength;
    return { status: answer.status, etag: answer.headers.get('etag') ?? '', bytes };
  };
  const answers = await Promise.all(Array.from({ length: CALLS }, () => read()));
  const [first] = answers;
  const isSame = answers.every(
    ({ status, etag, bytes }) => status === 200 && etag === first?.etag && bytes === first.bytes,
  );
  const again = await read(first?.etag);
  return [
    ...(isSame ? [] : [`the answers differ: ${JSON.stringify(answers)}`]),
    ...(again.status === 304 ? [] : [`an unchanged list was answered with ${again.status}`]),
  ];
}

const MAX_PAGE_BYTES = 300_000;

async function readServices(target: Target): Promise<readonly string[]> {
  const unsafe: string[] = [];
  let hosts = 0;
  let cursor = '';
  do {
    const answer = await target.call('reader', `/api/services?limit=1000${cursor}`);
    const text = await answer.text();
    if (text.length > MAX_PAGE_BYTES) unsafe.push(`a page has ${text.length} bytes`);
    const page = JSON.parse(text) as {
      readonly services: readonly { readonly hosts: readonly string[] }[];
      readonly nextCursor: string | null;
    };
    for (const service of page.services) hosts += service.hosts.length;
    cursor = page.nextCursor === null ? '' : `&cursor=${encodeURIComponent(page.nextCursor)}`;
  } while (cursor !== '');
  if (hosts < SERVICES * HOSTS_OF_SERVICE) unsafe.push(`the pages have ${hosts} hosts`);
  return unsafe;
}

/** Every fiftieth report has one of the feed's tags. */
async function readPairs(target: Target, reports: number): Promise<readonly string[]> {
  const unsafe: string[] = [];
  for (const filter of [
    'tag=campaign-1&tag=campaign-2',
    'tag=rat&port=80',
    'tag=campaign-1&min_confidence=100&status=rejected',
    'port=80&min_confidence=100',
    'domain=nobody.example&status=open',
  ])
    for (const order of ['asc', 'desc']) {
      const { found, pages } = await readAll(target, `${filter}&order=${order}`);
      if (found > 0) unsafe.push(`${filter} found ${found}`);
      // A page that examines less than a thousand reports would need too many requests.
      if (pages > 2 + reports / 800) unsafe.push(`${filter} took ${pages} pages`);
    }
  return unsafe;
}

async function readAll(target: Target, query: string) {
  let [found, pages, cursor] = [0, 0, ''];
  do {
    const answer = await target.call('reader', `/feed/ply/reports?${query}${cursor}`);
    const page = (await answer.json()) as {
      readonly reports: readonly unknown[];
      readonly nextCursor: string | null;
    };
    found += page.reports.length;
    pages += 1;
    cursor = page.nextCursor === null ? '' : `&cursor=${encodeURIComponent(page.nextCursor)}`;
  } while (cursor !== '');
  return { found, pages };
}
