import { conditionNeeds } from './condition-needs.ts';
import { type Need, NOTHING } from './needs.ts';
import { type Token, tokensOf } from './rule-tokens.ts';

/** What a rule needs, and whether its patterns can be asked for on their own. */
export interface RuleNeed {
  readonly rule: string;
  readonly need: Need;
  /** All of its patterns are used, so that the compiler has no complaint of its own about them. */
  readonly usesPatterns: boolean;
}

/** Words after a pattern. */
const MODIFIERS = new Set('ascii wide nocase fullword private xor base64 base64wide'.split(' '));

/**
 * Reads a rule file. Returns `undefined` if it contains a global rule, on which all rules of the
 * file depend, or anything that this reader does not know.
 */
export function ruleNeeds(text: string): readonly RuleNeed[] | undefined {
  const tokens = tokensOf(text);
  if (tokens === undefined) return undefined;
  const reader = new RuleReader(tokens);
  const needs: RuleNeed[] = [];
  while (!reader.isAtEnd) {
    if (reader.skipImport()) continue;
    const need = reader.rule();
    if (need === undefined) return undefined;
    needs.push(need);
  }
  return needs;
}

class RuleReader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#tokens.length;
  }

  skipImport(): boolean {
    if (!this.#skip('import')) return false;
    this.#at += 1;
    return true;
  }

  /** `[private] rule name [: tags] { [meta: …] [strings: …] condition: … }` */
  rule(): RuleNeed | undefined {
    this.#skip('private');
    if (!this.#skip('rule')) return undefined;
    const rule = this.#next()?.text ?? '';
    this.#takeUntil('{');
    if (this.#startsSection('meta')) this.#skipMeta();
    const patterns = new Map<string, Need>();
    if (this.#startsSection('strings') && !this.#readPatterns(patterns)) return undefined;
    if (!this.#startsSection('condition')) return undefined;
    const condition = this.#takeUntil('}');
    if (condition === undefined) return undefined;
    const usesPatterns = patterns.size > 0 && areUsed(patterns, condition);
    // The compiler accepts an unused pattern if its name starts with `$_`. The patterns of the rule
    // are then not asked for, and may not be searched at all.
    const isKnown = usesPatterns || ![...patterns.keys()].some((name) => name.startsWith('$_'));
    return { rule, need: isKnown ? conditionNeeds(condition, patterns) : NOTHING, usesPatterns };
  }

  #skipMeta(): void {
    while (!this.isAtEnd && !this.#isSection('strings') && !this.#isSection('condition'))
      this.#at += 1;
  }

  /** `$name = "text" modifiers`. Returns whether all could be read. */
  #readPatterns(patterns: Map<string, Need>): boolean {
    while (!this.isAtEnd && !this.#isSection('condition')) {
      const name = this.#next()?.text ?? '';
      const isNamed = /^\$\w+$/.test(name) && !patterns.has(name);
      if (!isNamed || !this.#skip('=')) return false;
      const value = this.#next();
      if (value === undefined || value.kind === 'word' || value.kind === 'sign') return false;
      const need: Need = { kind: 'pattern', name };
      patterns.set(name, occursInJoined(value, this.#modifiers()) ? need : NOTHING);
    }
    return true;
  }

  #modifiers(): ReadonlySet<string> {
    const found = new Set<string>();
    for (let text = this.#peek(); MODIFIERS.has(text) || text === '('; text = this.#peek()) {
      this.#at += 1;
      // The range of keys of `xor`, the alphabet of `base64`.
      if (text === '(') this.#takeUntil(')');
      else found.add(text);
    }
    return found;
  }

  #startsSection(name: string): boolean {
    if (!this.#isSection(name)) return false;
    this.#at += 2;
    return true;
  }

  #isSection(name: string): boolean {
    return this.#peek() === name && this.#tokens[this.#at + 1]?.text === ':';
  }

  #peek(): string {
    return this.#tokens[this.#at]?.text ?? '';
  }

  #next(): Token | undefined {
    this.#at += 1;
    return this.#tokens[this.#at - 1];
  }

  #skip(text: string): boolean {
    if (this.#peek() !== text) return false;
    this.#at += 1;
    return true;
  }

  /** The tokens before that sign, which is skipped. */
  #takeUntil(sign: string): readonly Token[] | undefined {
    const start = this.#at;
    while (!this.isAtEnd && this.#peek() !== sign) this.#at += 1;
    const taken = this.#tokens.slice(start, this.#at);
    return this.#skip(sign) ? taken : undefined;
  }
}

/**
 * Whether a pattern that occurs in a content also occurs, at the same place or beginning earlier or
 * ending later, where the content has separators before and after it instead of nothing.
 */
function occursInJoined({ kind, text }: Token, modifiers: ReadonlySet<string>): boolean {
  // Both depend on the bytes around a match.
  if (modifiers.has('base64') || modifiers.has('base64wide')) return false;
  if (modifiers.has('xor') && modifiers.has('fullword')) return false;
  if (kind !== 'expression') return true;
  const expression = text.replace(/\\[^\w]/g, '_');
  // Beginning and end of the content.
  if (/\\[AzZ]/.test(expression)) return false;
  if (/[\^$]/.test(expression.replace(/\[\^?\]?[^\]]*\]?/g, '_'))) return false;
  // The character after a wide one is any byte with the separator as its second half.
  if (modifiers.has('wide') && /\\[bB]/.test(expression)) return false;
  // A match that reaches into a separator may fail the test for a whole word.
  return !modifiers.has('fullword') || !/\.|\[\^|\\[WDSBx0]/.test(expression);
}

function areUsed(patterns: ReadonlyMap<string, Need>, condition: readonly Token[]): boolean {
  const used = new Set(condition.map(({ text }) => text.replace(/^[#@!]/, '$')));
  const beginnings = [...used]
    .filter((text) => /^\$\w*\*$/.test(text))
    .map((text) => text.slice(0, -1));
  return (
    used.has('them') ||
    [...patterns.keys()].every(
      (name) => used.has(name) || beginnings.some((beginning) => name.startsWith(beginning)),
    )
  );
}
