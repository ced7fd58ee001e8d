import assert from 'node:assert/strict';
import { untilPublished } from '../../until-published.ts';
import type { Answer } from '../contract.ts';
import type { Rig } from '../http-rig.ts';

export const TAXII = 'application/taxii+json;version=2.1';
export const ROOT = '/taxii2/feeds/';

export interface StixObject {
  readonly id: string;
  readonly type: string;
  readonly modified?: string;
  readonly revoked?: boolean;
  readonly pattern?: string;
  readonly [member: string]: unknown;
}

export function objectsOf({ json }: Answer): readonly StixObject[] {
  return (json['objects'] ?? []) as readonly StixObject[];
}

export function nextOf({ json }: Answer): string | undefined {
  return json['next'] as string | undefined;
}

/** More changes than a test has in one millisecond: each is published at one of its own. */
const AHEAD_MS = 100;

/** Reads a collection as a TAXII client does, and checks what holds for every page. */
export class TaxiiReader {
  readonly #rig: Rig;
  readonly #token: string;

  constructor(rig: Rig, token: string) {
    this.#rig = rig;
    this.#token = token;
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const own = { accept: TAXII, ...headers };
    return this.#rig.ask('GET', path, { token: this.#token, headers: own });
  }

  async page(collection: string, query = ''): Promise<Answer> {
    this.#rig.clock.advance(AHEAD_MS);
    await untilPublished(this.#rig.deps.store, undefined);
    const answer = await this.get(`${ROOT}collections/${collection}/objects/${query}`);
    assert.equal(answer.status, 200, answer.text);
    checkPage(answer);
    return answer;
  }

  /** All pages, following `next`. */
  async pages(collection: string, query: string): Promise<readonly Answer[]> {
    const pages = [await this.page(collection, `?${query}`)];
    for (let next = nextOf(pages[0] as Answer); next !== undefined; ) {
      const page = await this.page(collection, `?${query}&next=${next}`);
      pages.push(page);
      next = nextOf(page);
    }
    return pages;
  }

  async all(collection: string, query = 'limit=100'): Promise<readonly StixObject[]> {
    return (await this.pages(collection, query)).flatMap(objectsOf);
  }
}

function checkPage({ headers, json }: Answer): void {
  assert.equal(headers['content-type'], TAXII);
  for (const name of ['x-taxii-date-added-first', 'x-taxii-date-added-last'])
    assert.match(headers[name] ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/, name);
  assert.equal(json['more'], json['next'] !== undefined);
  assert.notDeepEqual(json['objects'], []);
}
