import type { Rules as Compiled, Compiler } from '@virustotal/yara-x';
import { type NamespacedNeed, RuleFilter } from './rule-filter.ts';
import { type RuleNeed, ruleNeeds } from './rule-needs.ts';
import type { RuleSource } from './rule-source.ts';

/** What is known of compiled rules. */
export interface RuleSummary {
  /** One sentence for each file that was skipped. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
  /** Absent if some rule can match any content. */
  readonly needs?: readonly NamespacedNeed[] | undefined;
}

interface Compilation extends RuleSummary {
  /** Absent if a file is bad: the compiler builds nothing after an error. */
  readonly rules?: Compiled | undefined;
  readonly bad: readonly RuleSource[];
}

const MAX_WARNINGS = 100;

/**
 * A variable that is false, except in a scan that asks which patterns occur. The compiler cannot
 * know its value.
 */
export const PROBING = 'rapsheet_probing';

export function compile(compiler: Compiler, sources: readonly RuleSource[]): Compilation {
  compiler.defineGlobal(PROBING, false);
  const bad: RuleSource[] = [];
  const problems: string[] = [];
  const warnings: string[] = [];
  const needs: NamespacedNeed[] = [];
  let isKnown = true;
  try {
    for (const source of sources) {
      const known = readNeeds(source);
      if (known === undefined) isKnown = false;
      else for (const { rule, need } of known) needs.push({ namespace: source.name, rule, need });
      const problem = add(compiler, source, known);
      if (problem !== undefined) {
        bad.push(source);
        problems.push(problem);
      }
      if (warnings.length < MAX_WARNINGS) {
        const added = compiler.warnings.slice(warnings.length);
        warnings.push(...added.map((text) => oneLine(source, text)));
      }
    }
    const rules = bad.length === 0 ? compiler.build() : undefined;
    const canFilter = isKnown && RuleFilter.canFilter(needs);
    return { rules, bad, problems, warnings, ...(canFilter && { needs }) };
  } finally {
    compiler.free();
  }
}

/** `undefined` if the file is not understood in the same way as by `withoutShortcuts`. */
function readNeeds({ text }: RuleSource): readonly RuleNeed[] | undefined {
  const needs = ruleNeeds(text);
  return needs?.length === [...text.matchAll(TOKEN)].filter(isCondition).length ? needs : undefined;
}

function isCondition([token]: readonly string[]): boolean {
  return /^condition\s*:$/.test(token ?? '');
}

/**
 * String literals, regular expressions, comments and words of a rule. Closing delimiters are
 * optional, so that a missing one does not cause a search to the end of the file from every start.
 */
const TOKEN =
  /"(?:\\.|[^"\\\n])*"?|(?:=|matches)\s*\/(?:\\.|[^/*\\\n])(?:\\.|[^/\\\n])*|\/\/[^\n]*|\/\*[^*]*(?:\*+[^*/][^*]*)*(?:\*+\/)?|\w+\s*:?/g;

/**
 * If a condition tests the size or the first bytes of a file, the engine skips the search for the
 * rule's patterns in all other files. But it merges equal patterns of two rules under the test of
 * the first (as of 1.20), so the second rule misses files. A leading `or` has the lowest
 * precedence: it disables the optimisation and changes nothing else. While the variable is true,
 * each rule matches if one of its patterns occurs, or if it has none.
 */
function withoutShortcuts(text: string, needs: readonly RuleNeed[] = []): string {
  let index = 0;
  return text.replace(TOKEN, (token) => {
    if (!isCondition([token])) return token;
    const { usesPatterns = false } = needs[index++] ?? {};
    return `${token} ${PROBING}${usesPatterns ? ' and any of them' : ''} or `;
  });
}

function add(
  compiler: Compiler,
  source: RuleSource,
  needs: readonly RuleNeed[] | undefined,
): string | undefined {
  try {
    compiler.newNamespace(source.name);
    compiler.addSource(withoutShortcuts(source.text, needs));
    return undefined;
  } catch (error) {
    return oneLine(source, error instanceof Error ? error.message : String(error));
  }
}

/**
 * The first line of a compiler message and its line number. A message spans several lines:
 *
 *   error[E025]: unknown pattern `$b`
 *    --> line:1:41
 */
function oneLine({ name }: RuleSource, message: string): string {
  const [summary = ''] = message.split('\n', 1);
  const line = /--> line:(\d+)/.exec(message)?.[1];
  return line === undefined ? `${name}: ${summary}` : `${name}, line ${line}: ${summary}`;
}
