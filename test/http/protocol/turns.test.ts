import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { TurnCounter } from '../../turn-counter.ts';
import { untilPublished } from '../../until-published.ts';
import { openRig } from '../http-rig.ts';

/** Counts the reads of the parts of long responses while it is set. */
let turns: TurnCounter | undefined;

function marked<Part extends object>(part: Part, name: keyof Part): Part {
  const get = (target: Part, key: string | symbol) => {
    if (key === name) turns?.mark();
    return Reflect.get(target, key) as unknown;
  };
  return new Proxy(part, { get });
}

const rig = await openRig({
  between: (store) => ({
    ...store,
    misp: marked(store.misp, 'reports'),
    published: marked(store.published, 'page'),
  }),
});
after(() => rig.close());

const COUNT = 1000;
const { token } = await rig.researcher();
const service = await rig.service();
const reports = Array.from({ length: COUNT }, (_, index) => ({
  c2Address: `c${index}.example:${1 + index}`,
  file256Hash: String(index % 10).repeat(64),
  tags: ['rat', 'botnet'],
  referenceLink: `https://research.example/${index}`,
}));
await rig.bulk(service, token, reports);
// Each is published at a millisecond of its own.
rig.clock.advance(2 * COUNT);
await untilPublished(rig.deps.store, service);
const manifest = await rig.ask('GET', `/misp/${service}/manifest.json`, { token });
const [event] = Object.keys(manifest.json);

interface Long {
  readonly path: string;
  /** A text that the response has at least that often. */
  readonly contains: readonly [text: string, times: number];
  /** The reads of a response at least, and those of a turn at most. */
  readonly reads: number;
  readonly ofTurn: number;
}

const responses: Readonly<Record<string, Long>> = {
  'a MISP event': {
    path: `/misp/${service}/${event}.json`,
    contains: ['"deleted":', 3 * COUNT],
    reads: COUNT / 50,
    ofTurn: 4,
  },
  'a page of indicators for TAXII': {
    path: `/taxii2/feeds/collections/${service}/objects/?limit=1000`,
    contains: ['"type":"indicator"', 950],
    reads: 5,
    ofTurn: 2,
  },
  'a page of all objects for TAXII': {
    path: `/taxii2/feeds/collections/${service}/objects/?limit=1000&profile=rich`,
    contains: ['"type":', 950],
    reads: 5,
    ofTurn: 2,
  },
};

describe('a long response', () => {
  for (const [name, long] of Object.entries(responses)) {
    it(`is read in several turns of the event loop: ${name}`, async () => {
      const counter = new TurnCounter();
      turns = counter;
      const { status, text } = await rig.ask('GET', long.path, { token });
      turns = undefined;
      counter.stop();
      assert.equal(status, 200, text);
      const [part, times] = long.contains;
      assert.ok(text.split(part).length > times);
      const reads = counter.byTurn.reduce((sum, marks) => sum + marks, 0);
      assert.ok(reads >= long.reads, `${reads} reads`);
      // The first turn may be that of two budgets.
      assert.ok(counter.most <= long.ofTurn, counter.byTurn.join());
    });
  }
});
