import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Need } from './needs.ts';
import { loadRuleSources } from './rule-files.ts';
import { RuleFilter } from './rule-filter.ts';
import { ruleNeeds } from './rule-needs.ts';

const PATTERNS = '$a1 = "one" $a2 = "two" fullword $b = { 4d 5a [2-4] ?? } $c = /th(r|e)ee/ nocase';

/** A need in short: `2($a, $b)` for two of them, `-` for nothing. */
function short(need: Need | undefined): string {
  switch (need?.kind) {
    case 'pattern':
      return need.name;
    case 'bytes':
      return `${need.offset}:${need.hex}`;
    case 'some':
      return `${need.count}(${need.of.map(short).join(' ')})`;
    default:
      return '-';
  }
}

function needOf(condition: string, patterns = PATTERNS): string {
  return short(
    ruleNeeds(`rule r : tag { meta: a = -1 strings: ${patterns} condition: ${condition} }`)?.[0]
      ?.need,
  );
}

describe('what a rule needs', () => {
  for (const [condition, need] of [
    ['$a1', '$a1'],
    ['$a1 and $b or $c', '1(2($a1 $b) $c)'],
    ['$a1 and ($b or $c)', '2($a1 1($b $c))'],
    ['any of them', '1($a1 $a2 $b $c)'],
    ['all of ($a*)', '2($a1 $a2)'],
    ['2 of ($a*, $c)', '2($a1 $a2 $c)'],
    ['filesize < 10MB and $a1 at 0 and $b in (0..100)', '2($a1 $b)'],
    ['any of ($a*) in (0..4096) and $c', '2(1($a1 $a2) $c)'],
    ['uint16(0) == 0x5a4d and $a1', '2(0:4d5a $a1)'],
    ['uint32be(4) == 0x7f454c46 or $a1', '1(4:7f454c46 $a1)'],
    ['for any of ($a*) : ($ in (0..100) or (# > 3 and $)) and $b', '2(1($a1 $a2) $b)'],
    ['/* $b */ $a1 // and $c', '$a1'],
  ] as const)
    it(`is known for: ${condition}`, () => {
      assert.equal(needOf(`${condition}\n`), need);
    });

  for (const condition of [
    'true',
    'filesize < 100',
    'not $a1',
    '#a1 < 3 and filesize > 3',
    '$a1 or pe.is_pe',
    'none of them',
    '50% of them',
    '0 of them',
    'for any of them : (# == 0)',
    'for any of ($a*) : ($ or $b)',
    'for all i in (1..#a1) : (@a1[i] < 10 and $b)',
    '(1 + 2) < filesize or $a1',
    'uint16(0) != 0x5a4d',
    'uint16(0) == 0x5a4d + 1',
    'other_rule',
    'any of (other_*)',
    'with x = 3 : (x == 3 and $a1)',
    '(($a1)',
  ])
    it(`is nothing for: ${condition}`, () => {
      assert.equal(needOf(condition), '-');
    });

  for (const pattern of [
    '/^one/',
    '/one$/',
    '/one(two|$)/',
    '/one.*/s fullword',
    '/one[^a]{3}/ fullword',
    '/one\\x00*/ fullword',
    '"one" xor fullword',
    '"one" base64',
    '"one" wide base64wide("ab")',
  ])
    it(`is nothing for a pattern that depends on the edge of the file: ${pattern}`, () => {
      assert.equal(needOf('$a', `$a = ${pattern}`), '-');
    });

  for (const pattern of [
    '/one[\\^$]\\$\\/{2}/',
    '/one[^\\n]{0,20}two/',
    '/[]^$]one/ wide',
    '/o\\.ne[a-c]+/ fullword',
    '"one" xor(1-255)',
    '"//one" private',
  ])
    it(`is the pattern elsewhere: ${pattern}`, () => {
      assert.equal(needOf('$a', `$a = ${pattern}`), '$a');
    });

  for (const text of [
    'global rule g { condition: true }',
    'include "other.yar"',
    'rule r { strings: $ = "anonymous" condition: any of them }',
    'rule r { strings: $a = "no end condition: $a }',
    'rule r { strings: $a = "one" unheard_of condition: $a }',
    'rule r { strings: $a = { 00 // }\n 01 } condition: $a }',
    'rule r { condition: true',
    'nonsense',
  ])
    it(`is unknown for a file with: ${text}`, () => {
      assert.equal(ruleNeeds(text), undefined);
    });

  it('is known for each of our rules', () => {
    for (const { name, text } of loadRuleSources().sources) {
      const needs = ruleNeeds(text)?.map((one) => ({ ...one, namespace: name }));
      assert.ok(needs !== undefined && needs.length > 0, name);
      for (const need of needs)
        assert.ok(RuleFilter.canFilter([need]) && need.usesPatterns, `${name}/${need.rule}`);
    }
  });
});
