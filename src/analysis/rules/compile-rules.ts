import type { Rules as Compiled, Compiler } from '@virustotal/yara-x';
import type { RuleSource } from './rule-source.ts';

/** What is known of compiled rules. */
export interface RuleSummary {
  /** One sentence for each file that was skipped. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

interface Compilation extends RuleSummary {
  /** Absent if a file is bad: the compiler builds nothing after an error. */
  readonly rules?: Compiled | undefined;
  readonly bad: readonly RuleSource[];
}

const MAX_WARNINGS = 100;

/** A variable that is always false, which the compiler cannot know. */
const NEVER = 'rapsheet_never';

export function compile(compiler: Compiler, sources: readonly RuleSource[]): Compilation {
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
        const added = compiler.warnings.slice(warnings.length);
        warnings.push(...added.map((text) => oneLine(source, text)));
      }
    }
    const rules = bad.length === 0 ? compiler.build() : undefined;
    return { rules, bad, problems, warnings };
  } finally {
    compiler.free();
  }
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
 * precedence: it disables the optimisation and changes nothing else.
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
