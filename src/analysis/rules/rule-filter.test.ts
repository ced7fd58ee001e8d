import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { fixture } from '../../../test/analysis/fixture.ts';
import { loadRuleSources } from './rule-files.ts';
import type { RuleSource } from './rule-source.ts';
import { openRules, type Rules } from './rules.ts';

function source(text: string): RuleSource {
  return { name: 'test', text, ours: false };
}

/** Compares with separate scans. Returns the number of contents that need one. */
function checkCandidates(rules: Rules, contents: readonly Buffer[]): number {
  const candidates = rules.candidates(contents);
  assert.ok(candidates !== undefined);
  assert.equal(candidates.length, contents.length);
  for (const [index, content] of contents.entries()) {
    const matched = rules.scan(content).map(({ rule }) => rule);
    assert.ok(
      candidates[index] || matched.length === 0,
      `${matched} in ${JSON.stringify(content.toString('latin1'))}`,
    );
  }
  return candidates.filter(Boolean).length;
}

/** Rules of all kinds whose needs are known. Their patterns stand at the edges of contents. */
const RULES = `
  rule whole_word { strings: $a = "alpha" fullword $w = "wide" wide fullword condition: any of them }
  rule places { strings: $a = "alpha" $b = "beta" condition: $a at 0 or $b in (4..filesize) }
  rule counts { strings: $a = "beta" $b = "gamma" nocase condition: #a == 2 and $b }
  rule small { strings: $a = "gamma" condition: filesize < 20 and $a }
  rule without { strings: $a = "alpha" $b = "beta" condition: $b and not $a }
  rule program { strings: $a = "alpha" condition: uint16(0) == 0x5a4d and $a }
  rule header_only { condition: uint32be(0) == 0x7f454c46 and filesize > 6 }
  rule reaching { strings: $a = /[^\\n]{0,12}delta.{0,12}/s condition: $a }
  rule boundary { strings: $a = /\\bbeta\\b/ condition: $a }
  rule jumps { strings: $a = { 67 61 [0-30] 62 65 74 61 } condition: $a }
  rule hidden { strings: $a = "alpha" xor(1-3) condition: $a }
  private rule inner { strings: $a = "gamma" condition: $a }
  rule outer { strings: $a = "delta" condition: inner and $a }
  rule several { strings: $a = "alpha" $b = "beta" $c = "gamma" condition: 2 of them }
`;

const PIECES = ['alpha', 'beta', 'gamma', 'delta', 'GAMMA', 'w\0i\0d\0e\0', 'MZ', '\x7fELF', '\n']
  .concat(['a', '\0', '\x01', ' ', 'xyz', 'b', '`mqi`'])
  .map((text) => Buffer.from(text, 'latin1'));

describe('the contents that a rule may match', () => {
  let ours: Rules;
  let rules: Rules;
  before(async () => {
    ours = await openRules(loadRuleSources().sources);
    rules = await openRules([source(RULES)]);
  });
  after(() => {
    ours.close();
    rules.close();
  });

  it('include all that a rule matches', () => {
    assert.deepEqual(rules.problems, []);
    const content = fc
      .array(fc.constantFrom(...PIECES), { maxLength: 6 })
      .map((pieces) => Buffer.concat(pieces));
    fc.assert(
      fc.property(fc.array(content, { maxLength: 12 }), (contents) => {
        checkCandidates(rules, contents);
      }),
      { seed: 20_261_117, numRuns: 30 },
    );
  });

  it('do not include those that no rule matches', () => {
    const contents = ['nothing', 'alpha', 'betalpha', 'MZ', '\x7fELF', '', 'MZ with alpha'].map(
      (text) => Buffer.from(text, 'latin1'),
    );
    assert.deepEqual(rules.candidates(contents), [false, true, true, false, true, false, true]);
  });

  it('include all programs and texts that one of our rules matches, and few others', () => {
    const names = ['pe/injector', 'pe/library', 'dotnet/loader', 'elf/plain-arm', 'pe/hello32'];
    const samples = names.map((name) => fixture(`analysis/${name}`));
    const text = loadRuleSources().sources.map((one) => Buffer.from(one.text));
    const plain = Array.from({ length: 50 }, (_, turn) => Buffer.from(`plain text ${turn}`));
    const matched = checkCandidates(ours, [...samples, ...text, ...plain]);
    assert.ok(matched <= samples.length + text.length, `${matched}`);
  });

  it('include all contents if a pattern occurs more often than is counted', async () => {
    const counted = await openRules([
      source('rule r { strings: $a = "alpha" $b = "beta" condition: all of them }'),
    ]);
    const many = Buffer.alloc(10_000, 'alpha ');
    const contents = [many, Buffer.from('alpha beta'), Buffer.from('gamma'), Buffer.from('beta')];
    assert.deepEqual(counted.candidates(contents), [false, true, false, true]);
    counted.close();
  });

  it('are unknown if a rule may match any content', async () => {
    for (const text of [
      'rule r { condition: filesize < 100 }',
      'import "pe" rule r { condition: pe.is_pe }',
      'rule r { strings: $_unused = "beta" $a = "alpha" condition: $a }',
      'rule r { strings: $a = /\\balpha\\b/ wide condition: $a }',
      'global rule g { condition: filesize > 3 } rule r { strings: $a = "alpha" condition: $a }',
    ]) {
      const open = await openRules([source(text)]);
      assert.deepEqual(open.problems, []);
      assert.equal(open.candidates([Buffer.from('alpha')]), undefined);
      open.close();
    }
  });

  it('leave scans as they are, and the complaints of the compiler', async () => {
    const alpha = Buffer.from('alpha');
    const first = rules.scan(alpha);
    rules.candidates([alpha, Buffer.from('beta')]);
    assert.deepEqual(rules.scan(alpha), first);
    assert.deepEqual(rules.scan(Buffer.from('nothing')), []);
    const unused = 'rule r { strings: $a = "alpha" $b = "beta" condition: $a }';
    const complaining = await openRules([source(unused)]);
    assert.match(complaining.problems.join(), /unused pattern/);
    complaining.close();
  });
});
