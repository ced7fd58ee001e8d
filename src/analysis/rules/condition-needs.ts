import { allOf, isMet, type Need, NOTHING, someOf } from './needs.ts';
import type { Token } from './rule-tokens.ts';

/** The names of a rule's patterns with the need of each. */
export type PatternNeeds = ReadonlyMap<string, Need>;

/**
 * Derives the need of a rule from its condition:
 *
 *   condition = conjunction { "or" conjunction }
 *   conjunction = factor { "and" factor }
 *   factor = "(" condition ")" | pattern [ "at" … | "in" … ] | count "of" patterns [ "at" … | "in" … ]
 *          | "for" count "of" patterns ":" "(" condition ")" | "uint16(0) == 0x5a4d" | anything else
 *
 * Anything else, such as a comparison, a negation or a function of a module, needs nothing.
 */
export function conditionNeeds(tokens: readonly Token[], patterns: PatternNeeds): Need {
  const parser = new ConditionParser(tokens, patterns);
  const need = parser.condition();
  return parser.isAtEnd ? need : NOTHING;
}

const SIZES: Readonly<Record<string, number>> = { uint8: 1, uint16: 2, uint32: 4 };
const NUMBER = /^(?:0x[0-9a-f]+|\d+)$/i;

class ConditionParser {
  readonly #tokens: readonly Token[];
  readonly #patterns: PatternNeeds;
  #at = 0;

  constructor(tokens: readonly Token[], patterns: PatternNeeds) {
    this.#tokens = tokens;
    this.#patterns = patterns;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#tokens.length;
  }

  condition(): Need {
    const needs = [this.#conjunction()];
    while (this.#skip('or')) needs.push(this.#conjunction());
    return someOf(1, needs);
  }

  #conjunction(): Need {
    const needs = [this.#factor()];
    while (this.#skip('and')) needs.push(this.#factor());
    return allOf(needs);
  }

  /** A factor whose rest is not understood, such as `(1 + 2) < filesize`, needs nothing. */
  #factor(): Need {
    const need = this.#known();
    const isWhole = this.#isAtBoundary();
    this.#skipToBoundary();
    return isWhole ? need : NOTHING;
  }

  #known(): Need {
    const next = this.#peek();
    if (next === 'not' || next === 'defined') {
      this.#at += 1;
      this.#factor();
      return NOTHING;
    }
    if (this.#skip('(')) {
      const inner = this.condition();
      return this.#skip(')') ? inner : NOTHING;
    }
    if (this.#skip('for')) return this.#loop();
    if (next?.startsWith('$') === true) {
      this.#at += 1;
      return this.#anywhere(this.#patterns.get(next) ?? NOTHING);
    }
    if (this.#peek(1) === 'of') return this.#anywhere(this.#selection());
    return this.#bytes();
  }

  /** A place restricts a pattern further; it is not part of the need. */
  #anywhere(need: Need): Need {
    if (this.#peek() === 'at' || this.#peek() === 'in') this.#skipToBoundary();
    return need;
  }

  /** `2 of ($a*, $b)`, `any of them`. */
  #selection(): Need {
    const count = this.#peek() ?? '';
    this.#at += 2;
    const needs = this.#set();
    if (needs === undefined || needs.length === 0) return NOTHING;
    if (count === 'any') return someOf(1, needs);
    if (count === 'all') return someOf(needs.length, needs);
    return /^\d+$/.test(count) ? someOf(Number(count), needs) : NOTHING;
  }

  /** The needs of the patterns in a set; `undefined` for a set of rules. */
  #set(): readonly Need[] | undefined {
    if (this.#skip('them')) return [...this.#patterns.values()];
    if (!this.#skip('(')) return undefined;
    const inner = this.#tokens.slice(this.#at, this.#closing()).map(({ text }) => text);
    this.#at += inner.length + 1;
    const names = inner.filter((text) => text !== ',');
    return names.every((name) => name.startsWith('$'))
      ? names.flatMap((name) => this.#named(name))
      : undefined;
  }

  #named(name: string): readonly Need[] {
    if (!name.endsWith('*')) return [this.#patterns.get(name) ?? NOTHING];
    const beginning = name.slice(0, -1);
    return [...this.#patterns].flatMap(([one, need]) => (one.startsWith(beginning) ? [need] : []));
  }

  /** The patterns must occur if the inner condition is false for a pattern that does not. */
  #loop(): Need {
    if (this.#peek(1) !== 'of') return NOTHING;
    const selected = this.#selection();
    if (!this.#skip(':') || !this.#skip('(')) return NOTHING;
    const current = new Map([...this.#patterns, ['$', { kind: 'pattern', name: '$' } as const]]);
    const body = this.#tokens.slice(this.#at, this.#closing());
    this.#at += body.length + 1;
    const inner = conditionNeeds(body, current);
    return isMet(inner, { hasPattern: (name) => name !== '$' }) ? NOTHING : selected;
  }

  /** `uint16(0) == 0x5a4d` and the like. */
  #bytes(): Need {
    const [name = '', open, offset = '', close, equal, other, value = ''] = this.#tokens
      .slice(this.#at, this.#at + 7)
      .map(({ text }) => text);
    const size = SIZES[name.replace(/be$/, '')];
    const isComparison = [open, close, equal, other].join('') === '()==';
    if (size === undefined || !isComparison || ![offset, value].every((one) => NUMBER.test(one)))
      return NOTHING;
    const digits = Number(value)
      .toString(16)
      .padStart(2 * size, '0');
    this.#at += 7;
    if (digits.length !== 2 * size || Number(offset) > Number.MAX_SAFE_INTEGER) return NOTHING;
    const bytes = Buffer.from(digits, 'hex');
    const hex = (name.endsWith('be') ? bytes : bytes.reverse()).toString('hex');
    return { kind: 'bytes', offset: Number(offset), hex };
  }

  #peek(ahead = 0): string | undefined {
    return this.#tokens[this.#at + ahead]?.text;
  }

  #skip(text: string): boolean {
    if (this.#peek() !== text) return false;
    this.#at += 1;
    return true;
  }

  #isAtBoundary(): boolean {
    return this.isAtEnd || ['and', 'or', ')'].includes(this.#peek() ?? '');
  }

  #skipToBoundary(): void {
    while (!this.isAtEnd && !this.#isAtBoundary())
      if (this.#skip('(')) this.#at = this.#closing() + 1;
      else this.#at += 1;
  }

  /** The index of the bracket that closes the one before the current token. */
  #closing(): number {
    let at = this.#at;
    for (let depth = 1; at < this.#tokens.length; at += 1) {
      const { text } = this.#tokens[at] ?? { text: '' };
      if (text === '(') depth += 1;
      if (text === ')') depth -= 1;
      if (depth === 0) break;
    }
    return at;
  }
}
