import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'oxc-parser';

/** A regular expression and its location. */
export interface Expression {
  /** `src/http/request-metrics.ts:12` */
  readonly location: string;
  readonly source: string;
  readonly flags: string;
}

export interface Found {
  readonly expressions: readonly Expression[];
  /** The locations of calls of `RegExp`, whose patterns are known only at run time. */
  readonly computed: readonly string[];
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Finds all expressions in `src` and in the YARA rules. */
export function findExpressions(): Found {
  const sources = globSync('src/**/*.ts', { cwd: ROOT }).filter(
    (file) => !file.endsWith('.test.ts'),
  );
  const rules = globSync('rules/**/*.yar', { cwd: ROOT });
  const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
  const found = [
    ...sources.map((file) => expressionsOfSource(file, read(file))),
    ...rules.map((file) => expressionsOfRules(file, read(file))),
  ];
  return {
    expressions: found.flatMap(({ expressions }) => expressions),
    computed: found.flatMap(({ computed }) => computed),
  };
}

/** Uses the syntax tree, because a slash can start an expression or be a division. */
export function expressionsOfSource(file: string, text: string): Found {
  const expressions: Expression[] = [];
  const computed: string[] = [];
  const locate = (offset: number) => `${file}:${text.slice(0, offset).split('\n').length}`;
  const visitCall = (node: { callee: unknown; start: number }) => {
    const { callee } = node as { callee: { type: string; name?: string } };
    if (callee.type === 'Identifier' && callee.name === 'RegExp') computed.push(locate(node.start));
  };
  new Visitor({
    Literal(node) {
      if (!('regex' in node)) return;
      const { pattern, flags } = node.regex;
      expressions.push({ location: locate(node.start), source: pattern, flags });
    },
    CallExpression: visitCall,
    NewExpression: visitCall,
  }).visit(parseSync(file, text).program);
  return { expressions, computed };
}

const RULE_PATTERN = /^\s*\$\w* = \/((?:\\.|[^/\\])+)\/([is]*)(.*)$/;

/** Patterns of YARA rules that are expressions: `$name = /…/ nocase`. */
function expressionsOfRules(file: string, text: string): Found {
  const expressions = text.split('\n').flatMap((line, index) => {
    const [, source, flags = '', modifiers = ''] = RULE_PATTERN.exec(line) ?? [];
    if (source === undefined) return [];
    const isCaseless = flags.includes('i') || modifiers.includes('nocase');
    return [{ location: `${file}:${index + 1}`, source, flags: isCaseless ? 'is' : 's' }];
  });
  return { expressions, computed: [] };
}
