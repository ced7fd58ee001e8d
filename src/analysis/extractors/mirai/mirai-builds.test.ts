import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { extracted } from '../../../../test/analysis/extraction.ts';
import {
  linked,
  readTemplates,
  type Surroundings,
} from '../../../../test/analysis/mirai/linker.ts';
import { judge, randomSettings, textsOf } from '../../../../test/analysis/mirai/settings.ts';
import { mirai } from './mirai.ts';

/**
 * Code of real compilers, linked with random texts as GNU ld does. `npm run trial -- mirai`
 * compiles whole programs.
 */
const BUILDS = 1080;
const SEED = 18;
/** An unknown processor: the texts are all that can be read. */
const UNKNOWN_MACHINE = 0x2a2a;
const MIN_SHARE = 0.9;

const surroundings: fc.Arbitrary<Surroundings> = fc.record({
  hasStdinUsed: fc.boolean(),
  numbers: fc.array(fc.oneof(fc.integer({ min: 1, max: 300 }), fc.nat(0xffff_ffff)), {
    maxLength: 2,
  }),
  plainTexts: fc.array(fc.constantFrom('root', 'GET', '%s%d', 'fixture: plain\n', 'a', '/dev/x'), {
    maxLength: 3,
  }),
});

const templates = readTemplates();
const around = fc.sample(surroundings, { numRuns: BUILDS, seed: SEED });
const builds = randomSettings(BUILDS, SEED).map((settings, index) => {
  const template = templates[index % templates.length];
  const data = around[index];
  assert.ok(template !== undefined && data !== undefined);
  const program = linked(template, textsOf(settings), data);
  return { settings, program, name: `${template.target} ${template.level}` };
});

function verdicts(change: (program: Buffer) => Buffer) {
  return builds.map(({ settings, program, name }) => {
    const found = extracted(mirai, change(program));
    return {
      name,
      verdict: judge(settings, found),
      text: JSON.stringify({ name, settings, found }),
    };
  });
}

describe('servers of Mirai in programs of any build', () => {
  it('are found, and none is wrong', (test) => {
    const results = verdicts((program) => program);
    const wrong = results.filter(({ verdict }) => verdict === 'wrong');
    assert.deepEqual(
      wrong.map(({ text }) => text),
      [],
    );
    const whole = results.filter(({ verdict }) => verdict === 'whole').length;
    test.diagnostic(`${BUILDS} builds: 0 wrong, ${whole} with server and port`);
    assert.ok(whole >= BUILDS * MIN_SHARE, `${whole} of ${BUILDS}`);
  });

  it('are not reported if a call before the first was not understood', () => {
    const template = templates.find(({ target, level }) => target === 'x86-64' && level === '-O0');
    const settings = randomSettings(50, SEED).find(({ reporterPort }) => reporterPort !== 48_101);
    assert.ok(template !== undefined && settings !== undefined);
    const empty = { hasStdinUsed: false, numbers: [], plainTexts: [] };
    const program = linked(template, textsOf(settings), empty);
    assert.equal(judge(settings, extracted(mirai, program)), 'whole');
    // `mov edx, 80` is the length of the first text.
    const length = program.indexOf(Buffer.from('ba50000000', 'hex'));
    const found = extracted(mirai, program.fill(0x90, length, length + 5));
    assert.ok(found !== undefined && 'unread' in found, JSON.stringify(found));
  });

  it('are not reported if the number of the first is that of the server for scan results', () => {
    const settings = randomSettings(50, SEED).find(({ reporterPort }) => reporterPort !== 48_101);
    assert.ok(settings !== undefined);
    const empty = { hasStdinUsed: false, numbers: [], plainTexts: [] };
    for (const [target, number, changed] of [
      ['x86-64', 'bf01000000', 'bf12000000'], // mov edi, 1
      ['m68k', '48780001', '48780012'], // pea 1
      ['arm', 'e3a00001', 'e3a00012'], // mov r0, 1
    ] as const) {
      const template = templates.find((one) => one.target === target && one.level === '-O0');
      assert.ok(template !== undefined, target);
      const program = linked(template, textsOf(settings), empty);
      assert.equal(judge(settings, extracted(mirai, program)), 'whole');
      const bytes = (hex: string) => Buffer.from(hex, 'hex');
      const isReversed = target === 'arm';
      const at = program.indexOf(isReversed ? bytes(number).reverse() : bytes(number));
      assert.ok(at > 0, target);
      (isReversed ? bytes(changed).reverse() : bytes(changed)).copy(program, at);
      const found = extracted(mirai, program);
      assert.ok(found !== undefined && 'unread' in found, JSON.stringify(found));
    }
  });

  it('are not wrong if the code is of an unknown processor', (test) => {
    const results = verdicts((program) => {
      const changed = Buffer.from(program);
      changed.writeUInt16BE(UNKNOWN_MACHINE, 18);
      return changed;
    });
    const wrong = results.filter(({ verdict }) => verdict === 'wrong');
    assert.deepEqual(
      wrong.map(({ text }) => text),
      [],
    );
    const whole = results.filter(({ verdict }) => verdict === 'whole').length;
    test.diagnostic(`${BUILDS} builds: 0 wrong, ${whole} with server and port`);
    assert.ok(whole > 0);
  });
});
