import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { suffixOf } from '../../../../src/domain/ownership/challenge.ts';
import type { Overlap } from '../../../../src/domain/services/route.ts';
import type { PatternPosition } from '../../../../src/ports/service-store.ts';
import type { Store } from '../../../../src/ports/store.ts';
import { FeedRig } from '../feed-rig.ts';
import { audit, NOW } from '../store-contract.ts';
import { type Declared, overlapsIn, routeIn } from './routes-model.ts';

/** Few, so that patterns of different services overlap. */
const LABELS = ['a', 'b', 'c'];
const TOPS = ['example', 'ply.example', 'co.uk', 'uk', 'ck'];

const name = fc
  .tuple(fc.array(fc.constantFrom(...LABELS), { maxLength: 3 }), fc.constantFrom(...TOPS))
  .map(([labels, top]) => [...labels, top].join('.'));
const ipv4 = fc.integer({ min: 0, max: 31 }).map((byte) => `10.0.0.${byte}`);
const ipv6 = fc.integer({ min: 1, max: 31 }).map((group) => `2001:db8::${group.toString(16)}`);
const length = (...lengths: readonly number[]) => fc.constantFrom(...lengths);
const network = fc.oneof(
  fc.tuple(ipv4, length(0, 8, 27, 28, 29, 30, 31, 32)),
  fc.tuple(ipv6, length(0, 32, 123, 124, 125, 126, 127, 128)),
);
const hosts = fc.array(
  fc.oneof(
    name,
    name.map((below) => `*.${below}`),
    ipv4,
  ),
  { maxLength: 8 },
);
const networks = fc.array(
  network.map(([address, bits]) => `${address}/${bits}`),
  { maxLength: 5 },
);

/** The hosts of each of three services, and some of them that it has proven. */
const declarations = fc.array(
  fc.tuple(hosts, networks, fc.nat({ max: 3 })).map(([declared, ranges, count]) => ({
    hosts: declared,
    networks: ranges,
    proven: declared.map(suffixOf).slice(0, count),
  })),
  { minLength: 3, maxLength: 3 },
);
const targets = fc.array(fc.oneof(name, ipv4, ipv6), { minLength: 12, maxLength: 12 });

const order = (overlaps: readonly unknown[]) =>
  overlaps.map((overlap) => JSON.stringify(overlap)).sort();

export function routesContract(name: string, open: () => Promise<Store>, numRuns = 40): void {
  describe(`${name} store of declared patterns`, () => {
    let store: Store;
    const slugs: string[] = [];
    before(async () => {
      store = await open();
      const rig = await FeedRig.in(store);
      for (let made = 0; made < 3; made += 1) slugs.push(await rig.service());
    });
    after(() => store.close());

    async function prove(service: string, suffix: string) {
      const method = 'http' as const;
      await store.ownership.begin({ service, suffix, method, now: NOW, intervalMs: 0 });
      const check = { method, problem: undefined, at: NOW, chance: 0 };
      await store.ownership.record({ service, suffix, check, isRequested: true }, audit);
    }

    async function declare({ slug, proven, ...patterns }: Declared) {
      await store.services.change(slug, patterns, audit);
      for (const suffix of new Set(proven)) await prove(slug, suffix);
    }

    async function forgetAll() {
      for (const slug of slugs)
        await store.services.change(slug, { hosts: [], networks: [] }, audit);
    }

    async function allOverlaps(examine: number, limit: number): Promise<readonly Overlap[]> {
      const found: Overlap[] = [];
      let position: PatternPosition | undefined;
      do {
        const slice = await store.services.overlaps({ after: position, examine, limit });
        assert.ok(slice.overlaps.length <= limit);
        found.push(...slice.overlaps);
        position = slice.next;
      } while (position !== undefined);
      return found;
    }

    it('routes to the most specific one, in whatever order they were declared', async () => {
      await fc.assert(
        fc.asyncProperty(declarations, targets, async (drawn, asked) => {
          const declared = drawn.map((one, index) => ({ ...one, slug: slugs[index] ?? '' }));
          const expected = asked.map((host) => routeIn(declared, host));
          const found = () => Promise.all(asked.map((host) => store.services.route(host)));
          await forgetAll();
          for (const one of declared) await declare(one);
          assert.deepEqual(await found(), expected);
          await forgetAll();
          for (const one of declared.toReversed())
            await declare({ ...one, hosts: one.hosts.toReversed() });
          assert.deepEqual(await found(), expected);
        }),
        { numRuns },
      );
    });

    it('finds those that lie in a pattern of another service', async () => {
      await fc.assert(
        fc.asyncProperty(declarations, fc.integer({ min: 1, max: 9 }), async (drawn, limit) => {
          const declared = drawn.map((one, index) => ({ ...one, slug: slugs[index] ?? '' }));
          await forgetAll();
          for (const one of declared) await declare(one);
          const found = await allOverlaps(5, limit);
          assert.deepEqual(order(found), order(overlapsIn(declared)));
        }),
        { numRuns },
      );
    });

    it('prefers a verified one among equal ones, until the proof ends', async () => {
      await forgetAll();
      const [first = '', , last = ''] = slugs.toSorted();
      for (const slug of [first, last])
        await store.services.change(slug, { hosts: ['*.ply.example'], networks: [] }, audit);
      const route = async () => await store.services.route('a.ply.example');
      const pattern = '*.ply.example';
      assert.deepEqual(await route(), { service: first, pattern, verified: false });
      await prove(last, 'ply.example');
      assert.deepEqual(await route(), { service: last, pattern, verified: true });
      await prove(first, 'ply.example');
      assert.deepEqual(await route(), { service: first, pattern, verified: true });
      await store.services.change(first, { hosts: [] }, audit);
      assert.deepEqual(await route(), { service: last, pattern, verified: true });
    });

    it('routes no C2 by a public suffix that was declared before', async () => {
      await forgetAll();
      const [slug = ''] = slugs;
      await store.services.change(slug, { hosts: ['*.com', 'com', '*.co.uk'] }, audit);
      for (const host of ['ply.com', 'a.ply.com', 'com', 'ply.co.uk', 'co.uk'])
        assert.equal(await store.services.route(host), undefined, host);
    });
  });
}
