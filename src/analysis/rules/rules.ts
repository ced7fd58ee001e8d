import type { Rules as Compiled, Scanner } from '@virustotal/yara-x';
import { compile, type RuleSummary } from './compile-rules.ts';
import type { RuleSource } from './rule-source.ts';
import { RetainedScans } from './yara/retained-scans.ts';
import { type RulesImage, restoreImage, takeImage } from './yara/rules-image.ts';
import { loadYara, type Yara } from './yara/yara.ts';

export interface RuleMatch {
  readonly rule: string;
  readonly namespace: string;
  readonly tags: readonly string[];
  readonly meta: Readonly<Record<string, string | number | boolean>>;
  /** The offset of the first matching pattern; a rule may match without patterns. */
  readonly offset?: number | undefined;
}

export interface RuleTag {
  readonly name: string;
  readonly heat: number;
  readonly note: string;
}

/** The part of the binding's scan result that is used here. */
interface ScanResult {
  readonly matches: readonly {
    readonly identifier: string;
    readonly namespace: string;
    readonly isPrivate: boolean;
    readonly tags: readonly string[];
    readonly metadata: readonly { readonly identifier: string; readonly value: unknown }[];
    readonly patterns: readonly {
      readonly isPrivate: boolean;
      readonly matches: readonly { readonly offset: number }[];
    }[];
  }[];
}

/**
 * Each match becomes an object: a file of one repeated word would produce millions. Conditions that
 * count matches (`#a > 3`) hold up to this number.
 */
const MAX_MATCHES_PER_PATTERN = 1000;

const DEFAULT_HEAT = 5;
const FAMILY_HEAT = 9;

/** Compiles the rules: ours take about a second. */
export async function openRules(sources: readonly RuleSource[]): Promise<Rules> {
  const yara = await loadYara();
  const first = compile(new yara.Compiler(), sources);
  // After an error the compiler builds nothing, so the valid files are compiled again without the
  // others.
  if (first.rules !== undefined) return new Rules(yara, withScanner(first.rules), first);
  const bad = new Set(first.bad);
  const second = compile(
    new yara.Compiler(),
    sources.filter((source) => !bad.has(source)),
  );
  if (second.rules === undefined) throw new Error('rules that compiled alone do not together');
  return new Rules(yara, withScanner(second.rules), { ...second, problems: first.problems });
}

/** Opens rules that were compiled before, from `Rules.image`. */
export async function restoreRules(image: RulesImage): Promise<Rules> {
  const yara = await loadYara();
  return new Rules(yara, { scanner: restoreImage(yara, image) }, image.header);
}

interface CompiledRules {
  readonly scanner: Scanner;
  /** The binding frees the rules when this object is collected, even if the scanner is in use. */
  readonly compiled?: Compiled;
}

function withScanner(compiled: Compiled): CompiledRules {
  // The binding creates a new scanner for each scan and stores only settings in this object, so no
  // data of one sample remains for the next.
  const scanner = compiled.scanner();
  scanner.setMaxMatchesPerPattern(MAX_MATCHES_PER_PATTERN);
  // The first scan allocates objects that the binding keeps.
  scanner.scan(new Uint8Array(1));
  return { scanner, compiled };
}

/**
 * Compiled rules. A scan takes about 2 ms for the smallest file, and 1 s for 150 MB. It cannot be
 * interrupted, so it runs in a process that can be killed. After a scan that throws, the instance
 * is unusable.
 */
export class Rules {
  /** One sentence for each file that was skipped. */
  readonly problems: readonly string[];
  /** Compiler warnings about the other files, such as slow patterns. */
  readonly warnings: readonly string[];
  readonly #yara: Yara;
  readonly #rules: CompiledRules;
  readonly #retainedScans: RetainedScans;
  readonly #summary: RuleSummary;

  constructor(yara: Yara, rules: CompiledRules, summary: RuleSummary) {
    const { problems, warnings } = summary;
    this.problems = problems;
    this.warnings = warnings;
    this.#summary = { problems, warnings };
    this.#yara = yara;
    this.#rules = rules;
    this.#retainedScans = new RetainedScans(yara.references);
    this.#retainedScans.markOwnEntries();
  }

  /** For `restoreRules`; only before the first scan, so that it holds nothing of a sample. */
  image(): RulesImage | undefined {
    return takeImage(this.#yara, this.#rules.scanner, this.#summary);
  }

  scan(bytes: Uint8Array): readonly RuleMatch[] {
    // The binding declares `any`; our tests check the documented shape.
    const result = this.#rules.scanner.scan(bytes) as ScanResult;
    this.#retainedScans.afterScan();
    return result.matches.filter(({ isPrivate }) => !isPrivate).map(toMatch);
  }

  close(): void {
    this.#rules.scanner.free();
    this.#rules.compiled?.free();
  }
}

function toMatch(match: ScanResult['matches'][number]): RuleMatch {
  // A private pattern is only part of the condition: its offset is not reported.
  const publicPatterns = match.patterns.filter(({ isPrivate }) => !isPrivate);
  const offsets = publicPatterns.flatMap(({ matches }) => matches.slice(0, 1));
  const first = offsets.map(({ offset }) => offset);
  return {
    rule: match.identifier,
    namespace: match.namespace,
    tags: match.tags,
    meta: Object.fromEntries(
      match.metadata.flatMap(({ identifier, value }) =>
        isPlain(value) ? [[identifier, value] as const] : [],
      ),
    ),
    ...(first.length > 0 && { offset: Math.min(...first) }),
  };
}

function isPlain(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/**
 * The tags of a match: the one named by `tag`, with its `heat`, and the one of `family`. A rule
 * without either, such as a third-party rule, gives its own name.
 */
export function ruleTags({ rule, meta }: RuleMatch): readonly RuleTag[] {
  const note = String(meta['description'] ?? rule).slice(0, 200);
  const family = tagName(meta['family']);
  const tag = tagName(meta['tag']) ?? (family === undefined ? tagName(rule) : undefined);
  return [
    ...(family === undefined ? [] : [{ name: family, heat: FAMILY_HEAT, note }]),
    ...(tag === undefined || tag === family ? [] : [{ name: tag, heat: heatOf(meta), note }]),
  ];
}

function tagName(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  return value
    .trim()
    .toUpperCase()
    .replace(/[^A-Z0-9_.-]/g, '_')
    .slice(0, 64);
}

/** Heat 10 requires decoded settings, which no rule can prove. */
function heatOf(meta: RuleMatch['meta']): number {
  const heat = Number(meta['heat'] ?? DEFAULT_HEAT);
  return Number.isFinite(heat)
    ? Math.min(Math.max(Math.round(heat), 1), FAMILY_HEAT)
    : DEFAULT_HEAT;
}
