import assert from 'node:assert/strict';
import { it } from 'node:test';
import { addressVerdict, joinFacts, type KnownAddress } from './address-verdict.ts';

type Statuses = Partial<KnownAddress['reports']['statuses']>;

interface Known {
  readonly files?: number;
  readonly hasMoreFiles?: boolean;
  /** The statuses of each feed. */
  readonly feeds?: Readonly<Record<string, Statuses>>;
  readonly rejecting?: readonly string[];
  readonly reporters?: number;
  readonly isCut?: boolean;
}

const NONE = { open: 0, acknowledged: 0, actioned: 0, rejected: 0, expired: 0 };

function verdict(known: Known) {
  const { files = 0, hasMoreFiles = false, feeds = {}, rejecting = [], reporters = 1 } = known;
  const all = Object.values(feeds).flatMap((statuses) => Object.entries(statuses));
  const statuses = { ...NONE };
  for (const [status, some] of all) statuses[status as keyof typeof NONE] += some;
  const { level, title, facts } = addressVerdict({
    samples: { newest: Array.from({ length: files }), hasMore: hasMoreFiles },
    reports: {
      total: all.reduce((sum, [, some]) => sum + some, 0),
      ...(known.isCut && { totalIsLowerBound: true }),
      statuses,
      reporters: { total: reporters, most: [] },
      feeds: Object.entries(feeds).map(([service, some]) => ({
        service,
        statuses: { ...NONE, ...some },
        ...(rejecting.includes(service) && { c2Rejected: true }),
      })),
    },
  } as unknown as KnownAddress);
  return [level, title, joinFacts(facts)];
}

it('is certain of an address in the settings of files', () => {
  assert.deepEqual(
    verdict({
      files: 7,
      feeds: { ply: { open: 3 }, cask: { open: 1, actioned: 2 }, hut: { actioned: 1 } },
    }),
    ['certain', 'Confirmed by the settings of 7 files', 'Open in 2 feeds; acted on in 1 feed'],
  );
  assert.deepEqual(verdict({ files: 1 }), [
    'certain',
    'Confirmed by the settings of 1 file',
    'Never reported',
  ]);
});

it('does not state a count that may be higher', () => {
  assert.deepEqual(
    verdict({ files: 50, hasMoreFiles: true, feeds: { ply: { actioned: 1000 } }, isCut: true }),
    [
      'certain',
      'Confirmed by the settings of at least 50 files',
      'Acted on in at least 1 feed; only the newest 1,000 reports were counted',
    ],
  );
  const [level, title] = verdict({ feeds: { ply: { rejected: 1000 } }, isCut: true, reporters: 2 });
  assert.deepEqual(
    [level, title],
    ['likely', 'Reported by at least 2 accounts, confirmed by no file'],
  );
});

it('does not call a report confirmed', () => {
  const feeds = { ply: { open: 1 } };
  assert.equal(verdict({ feeds })[0], 'suspicious');
  assert.deepEqual(verdict({ feeds, reporters: 2 }), [
    'likely',
    'Reported by 2 accounts, confirmed by no file',
    'Open in 1 feed',
  ]);
  assert.equal(verdict({ feeds: { ply: { actioned: 1 } } })[0], 'likely');
});

it('says that desks rejected it before what files say', () => {
  const feeds = { ply: { rejected: 1 }, cask: { open: 1 } };
  assert.deepEqual(verdict({ files: 2, feeds, rejecting: ['ply'] }), [
    'suspicious',
    'Rejected as a false positive by the desk of ply',
    'The settings of 2 files name it; open in 1 feed; rejected in 1 feed',
  ]);
  assert.deepEqual(verdict({ feeds: { ply: { rejected: 2 } } }).slice(0, 2), [
    'nothing',
    'Reported, and every report was rejected',
  ]);
  assert.deepEqual(verdict({ feeds: { ply: { expired: 2 } } }).slice(0, 2), [
    'suspicious',
    'Reported, and every report has expired',
  ]);
});

it('does not call an unknown address harmless', () => {
  const [level, , text] = verdict({});
  assert.equal(level, 'nothing');
  assert.match(String(text), /no proof that it is harmless$/);
});
