import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Rules as Compiled, Compiler, InitOutput, Scanner } from '@virustotal/yara-x';
import { RuleLeftovers } from './retained-scans.ts';

/** A file of YARA rules. */
export interface RuleSource {
  /** Its path without the ending, unique: `persistence`, `local/our-campaigns`. It is the rules' namespace. */
  readonly name: string;
  readonly text: string;
  /** Whether it came with the program; else it is the operator's. */
  readonly ours: boolean;
}

export interface RuleMatch {
  readonly rule: string;
  readonly namespace: string;
  readonly tags: readonly string[];
  readonly meta: Readonly<Record<string, string | number | boolean>>;
  /** Of the first text that matched; a rule may match without any. */
  readonly offset?: number | undefined;
}

export interface RuleTag {
  readonly name: string;
  readonly heat: number;
  readonly note: string;
}

/** What the binding gives for a scan, as far as we read it. */
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
 * Each match becomes an object; a file of one repeated word would otherwise make millions. Conditions that
 * count (`#a > 3`) are true up to here.
 */
const MAX_MATCHES_PER_PATTERN = 1000;
const MAX_WARNINGS = 100;

const DEFAULT_HEAT = 5;
const FAMILY_HEAT = 9;

/** Compiles the rules; takes about a second for a few hundred files, so it is done once per process. */
export async function openRules(sources: readonly RuleSource[]): Promise<Rules> {
  const { Compiler, references } = await loadEngine();
  const leftovers = new RuleLeftovers(references);
  const first = compile(new Compiler(), sources);
  // An engine that has seen an error builds nothing at all: without the bad files it is asked once more.
  if (first.rules !== undefined) return new Rules(first.rules, first, leftovers);
  const bad = new Set(first.bad);
  const second = compile(
    new Compiler(),
    sources.filter((source) => !bad.has(source)),
  );
  if (second.rules === undefined) throw new Error('rules that compiled alone do not together');
  const notes = { problems: first.problems, warnings: second.warnings };
  return new Rules(second.rules, notes, leftovers);
}

type Binding = typeof import('@virustotal/yara-x');

interface LoadedEngine extends Pick<Binding, 'Compiler'> {
  readonly references: InitOutput['__wbindgen_externrefs'];
}

let loaded = 0;

/**
 * A new instance each time, so that one that has failed can be replaced: the binding keeps its own for as long as its
 * module lives, so the module is loaded again under another address. Its bytes are read by us: it would fetch them.
 */
async function loadEngine(): Promise<LoadedEngine> {
  const address = import.meta.resolve('@virustotal/yara-x');
  loaded += 1;
  const binding = (await import(`${address}?instance=${loaded}`)) as Binding;
  const wasm = readFileSync(fileURLToPath(new URL('yara_x_js_bg.wasm', address)));
  const { __wbindgen_externrefs: references } = await binding.default({ module_or_path: wasm });
  return { Compiler: binding.Compiler, references };
}

interface Notes {
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

function compile(compiler: Compiler, sources: readonly RuleSource[]) {
  compiler.defineGlobal(NEVER, false);
  const bad: RuleSource[] = [];
  const problems: string[] = [];
  const warnings: string[] = [];
  try {
    for (const source of sources) {
      const problem = add(compiler, source);
      if (problem !== undefined) {
        bad.push(source);
        problems.push(problem);
      }
      if (warnings.length < MAX_WARNINGS) {
        const fresh = compiler.warnings.slice(warnings.length);
        warnings.push(...fresh.map((text) => oneLine(source, text)));
      }
    }
    return { rules: bad.length === 0 ? compiler.build() : undefined, bad, problems, warnings };
  } finally {
    compiler.free();
  }
}

/** A variable that is always false; the compiler cannot know that. */
const NEVER = 'rapsheet_never';
/**
 * Texts, regular expressions, comments and words of a rule. Ends are optional: a search for an end that is missing
 * would run to the end of the file from each beginning.
 */
const TOKEN =
  /"(?:\\.|[^"\\\n])*"?|(?:=|matches)\s*\/(?:\\.|[^/*\\\n])(?:\\.|[^/\\\n])*|\/\/[^\n]*|\/\*[^*]*(?:\*+[^*/][^*]*)*(?:\*+\/)?|\w+\s*:?/g;

/**
 * Where a condition asks for a size or for the first bytes, the engine spares itself the search for the rule's
 * texts in all other files. But the same text in two rules is one to it (as of 1.20), under what the first of them
 * asks for: the second misses files that it should match. "or" binds least, so that put in front of a condition
 * it changes nothing but that shortcut.
 */
function withoutShortcuts(text: string): string {
  return text.replace(TOKEN, (token) =>
    /^condition\s*:$/.test(token) ? `${token} ${NEVER} or ` : token,
  );
}

function add(compiler: Compiler, source: RuleSource): string | undefined {
  try {
    compiler.newNamespace(source.name);
    compiler.addSource(withoutShortcuts(source.text));
    return undefined;
  } catch (error) {
    return oneLine(source, error instanceof Error ? error.message : String(error));
  }
}

/**
 * The engine draws a picture of several lines:
 *
 *   error[E025]: unknown pattern `$b`
 *    --> line:1:41
 */
function oneLine({ name }: RuleSource, message: string): string {
  const [what = ''] = message.split('\n', 1);
  const line = /--> line:(\d+)/.exec(message)?.[1];
  return line === undefined ? `${name}: ${what}` : `${name}, line ${line}: ${what}`;
}

/**
 * Compiled rules. A scan takes some 8 ms however small the file is, and about 1 s for 150 MB. Nothing can stop
 * it from inside, so it runs in a process that can be ended. If a scan throws, the engine is broken.
 */
export class Rules {
  /** One sentence for each file that was left out. */
  readonly problems: readonly string[];
  /** What the compiler thinks of the others, such as patterns that are slow. */
  readonly warnings: readonly string[];
  readonly #compiled: Compiled;
  readonly #scanner: Scanner;
  readonly #leftovers: RuleLeftovers;

  constructor(compiled: Compiled, { problems, warnings }: Notes, leftovers: RuleLeftovers) {
    this.problems = problems;
    this.warnings = warnings;
    this.#compiled = compiled;
    // The binding makes its real scanner anew for each scan and keeps only the settings in this one, so that
    // nothing of one sample is left when the next comes.
    this.#scanner = compiled.scanner();
    this.#scanner.setMaxMatchesPerPattern(MAX_MATCHES_PER_PATTERN);
    // What the binding makes at its first scan, and keeps on purpose.
    this.#scanner.scan(new Uint8Array(1));
    leftovers.keep();
    this.#leftovers = leftovers;
  }

  scan(bytes: Uint8Array): readonly RuleMatch[] {
    // The binding says `any`; the shape is documented by it and held by our tests.
    const result = this.#scanner.scan(bytes) as ScanResult;
    this.#leftovers.drop();
    return result.matches.filter(({ isPrivate }) => !isPrivate).map(toMatch);
  }

  close(): void {
    this.#scanner.free();
    this.#compiled.free();
  }
}

function toMatch(match: ScanResult['matches'][number]): RuleMatch {
  // A private pattern is a condition, and no place to show.
  const shown = match.patterns.filter(({ isPrivate }) => !isPrivate);
  const offsets = shown.flatMap(({ matches }) => matches.slice(0, 1));
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
 * The tags that a match gives: the one its `tag` names, at its `heat`, and that of the `family` if it names
 * one. A rule that says neither, as rules from elsewhere do not, gives its own name.
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

/** Ten is for families whose settings were decoded: no rule can know that. */
function heatOf(meta: RuleMatch['meta']): number {
  const heat = Number(meta['heat'] ?? DEFAULT_HEAT);
  return Number.isFinite(heat)
    ? Math.min(Math.max(Math.round(heat), 1), FAMILY_HEAT)
    : DEFAULT_HEAT;
}
