import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { extracted } from '../../../../test/analysis/extraction.ts';
import { fixture } from '../../../../test/analysis/fixture.ts';
import { mirai } from './mirai.ts';

/**
 * Random layouts as compilers and linkers produce them: the data before the table, the alignment of
 * texts, and the texts that are moved. Every reported server must be one of the table.
 */
interface Build {
  readonly key: number;
  readonly host: string;
  readonly port: number;
  readonly reporter: string;
  readonly alignment: 1 | 4 | 8;
  readonly isBigEndian: boolean;
  /** Data before the texts. */
  readonly before: readonly Neighbour[];
  readonly behind: readonly Neighbour[];
}

type Neighbour =
  | { readonly kind: 'stdin-used' }
  | { readonly kind: 'zeros' }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'text' | 'password'; readonly text: string };

const HEADER = Buffer.from(fixture('analysis/families/mirai-plain.elf').subarray(0, 52)).fill(
  0,
  24,
);
const WORDS = [
  ...['listening tun0', '/proc/', '/exe', ' (deleted)', '/fd', '.anime', '/status', 'REPORT %s:%s'],
  ...['shell', 'enable', 'system', 'sh', '/bin/busybox MIRAI', 'MIRAI: applet not found'],
  ...['ncorrect', '/bin/busybox ps', 'TSource Engine Query', '/etc/resolv.conf', 'assword', 'ogin'],
];
/** Compilers align texts from this length on. */
const LONG = 32;

const label = fc.string({
  unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789'),
  minLength: 1,
  maxLength: 9,
});
const hostName = fc
  .array(label, { minLength: 1, maxLength: 4 })
  .map((labels) => `${labels.join('-')}.example.invalid`);
const neighbour: fc.Arbitrary<Neighbour> = fc.oneof(
  fc.record({ kind: fc.constant('stdin-used' as const) }),
  fc.record({ kind: fc.constant('zeros' as const) }),
  fc.record({
    kind: fc.constant('number' as const),
    value: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.nat(0xffff_ffff)),
  }),
  fc.record({
    kind: fc.constantFrom('text' as const, 'password' as const),
    text: fc.constantFrom('root', 'xc3511', 'GET', 'POST', '%s%d', 'fixture: plain\n', 'a', '/'),
  }),
);
const build: fc.Arbitrary<Build> = fc.record({
  key: fc.oneof(
    fc.integer({ min: 1, max: 255 }),
    fc.integer({ min: 0x21, max: 0x7e }),
    fc.constantFrom(...Buffer.from('abcdefghijklmnopqrstuvwxyz0123456789.-')),
  ),
  host: hostName,
  port: fc.integer({ min: 1, max: 65_535 }),
  reporter: hostName,
  alignment: fc.constantFrom(1, 4, 8),
  isBigEndian: fc.boolean(),
  before: fc.array(neighbour, { maxLength: 3 }),
  behind: fc.array(neighbour, { maxLength: 3 }),
});

function hidden(bytes: Buffer, key: number): Buffer {
  return Buffer.from(bytes.map((byte) => byte ^ key));
}

function bytesOf(one: Neighbour, { key, isBigEndian }: Build): Buffer {
  if (one.kind === 'zeros') return Buffer.alloc(4);
  if (one.kind === 'text') return Buffer.from(`${one.text}\0`);
  // The words of the scanner have no terminator under the key.
  if (one.kind === 'password')
    return Buffer.concat([hidden(Buffer.from(one.text), key), Buffer.alloc(1)]);
  const value = one.kind === 'number' ? one.value : 0x0002_0001;
  const bytes = Buffer.alloc(4);
  if (isBigEndian) bytes.writeUInt32BE(value);
  else bytes.writeUInt32LE(value);
  return bytes;
}

/** Appends, at a multiple of the alignment. */
function append(parts: Buffer[], bytes: Buffer, alignment: number): void {
  const size = parts.reduce((sum, { length }) => sum + length, 0);
  parts.push(Buffer.alloc((alignment - (size % alignment)) % alignment), bytes);
}

function programOf(settings: Build): Buffer {
  const { key, host, port, reporter, alignment } = settings;
  const number = (value: number) => Buffer.from([value >> 8, value & 0xff]);
  const entries = [
    ...[Buffer.from(`${host}\0`), number(port), Buffer.from(`${reporter}\0`), number(48_101)],
    ...WORDS.map((word) => Buffer.from(`${word}\0`)),
  ].map((bytes) => Buffer.concat([hidden(bytes, key), Buffer.alloc(1)]));
  // Texts with an embedded zero cannot be merged, so they are next to numbers; long texts are
  // separate.
  const isApart = (entry: Buffer) => entry.indexOf(0) !== entry.length - 1;
  const isLong = (entry: Buffer) => entry.length > LONG && alignment === 1;
  const parts = [HEADER];
  for (const one of settings.before)
    append(parts, bytesOf(one, settings), 'text' in one ? alignment : 4);
  for (const entry of entries.filter(isApart)) append(parts, entry, alignment);
  const merged = entries.filter((entry) => !isApart(entry));
  for (const entry of merged.filter(isLong)) append(parts, entry, 8);
  for (const entry of merged.filter((one) => !isLong(one))) append(parts, entry, alignment);
  for (const one of settings.behind)
    append(parts, bytesOf(one, settings), 'text' in one ? alignment : 4);
  return Buffer.concat(parts);
}

/** The reported servers; `undefined` if only the family is recognised. */
function serversOf(settings: Build) {
  const found = extracted(mirai, programOf(settings));
  return found !== undefined && 'endpoints' in found ? found.endpoints : undefined;
}

function sampleBuilds(count: number): readonly Build[] {
  const distinct = build.filter(({ host, reporter }) => host !== reporter);
  return fc.sample(distinct, { numRuns: count, seed: 11 });
}

describe('servers of Mirai in programs of any build', () => {
  const builds = sampleBuilds(1500);
  const extractions = builds.map((settings) => ({ settings, servers: serversOf(settings) }));

  it('never have a wrong name, and no C2 has a wrong port', () => {
    for (const { settings, servers = [] } of extractions) {
      const { host, port, reporter } = settings;
      const ports: Readonly<Record<string, number>> = { [host]: port, [reporter]: 48_101 };
      for (const server of servers) {
        const right = ports[server.host ?? ''];
        assert.ok(right !== undefined, `${server.host}: ${JSON.stringify(settings)}`);
        assert.ok(
          server.usage !== 'c2' || server.port === undefined || server.port === right,
          `${server.host}:${server.port}: ${JSON.stringify(settings)}`,
        );
      }
    }
  });

  it('never include the server for scan results', () => {
    for (const { settings, servers = [] } of extractions) {
      const { port, reporter } = settings;
      for (const server of servers.filter(({ usage }) => usage === 'c2')) {
        const isReporter = server.host === reporter && port !== 48_101;
        assert.ok(!isReporter, JSON.stringify(settings));
      }
    }
  });

  it('are found for many builds', () => {
    const whole = extractions.filter(({ settings, servers = [] }) =>
      servers.some(({ host, port }) => host === settings.host && port === settings.port),
    );
    assert.ok(whole.length > builds.length * 0.15, `${whole.length} of ${builds.length}`);
  });
});
