import { seal } from '../../domain/reports/cursor.ts';
import type { Service } from '../../domain/reports/service.ts';
import type { Dependencies } from '../dependencies.ts';
import { type ListedService, withVerifiedHosts } from '../ownership/verified-hosts.ts';
import { readPageCursor } from '../page-cursor.ts';

export interface CountedService extends ListedService {
  /** `undefined` while older reports are counted. */
  readonly openReports: number | undefined;
}

export interface ServicesPage {
  readonly services: readonly CountedService[];
  /** `undefined` on the last page. */
  readonly nextCursor: string | undefined;
}

/** Services before their figures are added. */
type Slice = Omit<ServicesPage, 'services'> & { readonly services: readonly Service[] };

const PURPOSE = ['services'];
/** Services read at once: each may declare 2,000 hosts and networks, which have to be parsed. */
const SLICE = 20;
/** A page with more hosts and networks ends early. */
const MAX_PATTERNS = 10_000;

interface PageRequest {
  readonly cursor: string | undefined;
  readonly limit: number;
}

/** Returns a page of the services, ordered by slug. */
export async function pageServices(
  deps: Pick<Dependencies, 'store'>,
  request: PageRequest,
): Promise<ServicesPage> {
  const { services, nextCursor } = await readPage(deps, request);
  const [listed, open] = await Promise.all([
    withVerifiedHosts(deps, services),
    deps.store.feeds.openReports(services.map(({ slug }) => slug)),
  ]);
  return {
    services: listed.map((service, index) => ({ ...service, openReports: open?.[index] })),
    nextCursor,
  };
}

async function readPage(
  { store }: Pick<Dependencies, 'store'>,
  { cursor, limit }: PageRequest,
): Promise<Slice> {
  const secret = await store.feeds.secret();
  const start = readPageCursor(secret, PURPOSE, cursor);
  const services: Service[] = [];
  let patterns = 0;
  for (;;) {
    const after = services.at(-1)?.slug ?? start;
    // The extra row shows whether there is another page.
    const wanted = Math.min(SLICE, limit + 1 - services.length);
    const found = await store.services.page({ after, limit: wanted });
    services.push(...found);
    for (const { hosts, networks } of found) patterns += hosts.length + networks.length;
    if (services.length > limit) return endedAfter(services.slice(0, limit), secret);
    if (found.length < wanted) return { services, nextCursor: undefined };
    if (patterns > MAX_PATTERNS) return endedAfter(services, secret);
  }
}

function endedAfter(services: readonly Service[], secret: Uint8Array): Slice {
  const last = services.at(-1);
  return { services, nextCursor: last && seal(secret, PURPOSE, last.slug) };
}
