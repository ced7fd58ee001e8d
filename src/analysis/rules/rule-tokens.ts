/** A token of a rule file. The text of a string literal, expression or hexadecimal pattern is whole. */
export interface Token {
  readonly kind: 'text' | 'expression' | 'hex' | 'word' | 'sign';
  readonly text: string;
}

const SPACE = /(?:\s|\/\/[^\n]*|\/\*[^*]*(?:\*+[^*/][^*]*)*\*+\/)+/y;
const TEXT = /"(?:\\.|[^"\\\n])*"/y;
const EXPRESSION = /\/(?:\\.|[^/\\\n])+\/[is]*/y;
const HEX = /\{[^}]*\}/y;
/** Names, numbers, and references to patterns such as `$a`, `#a` and `$a*`. */
const WORD = /[$#@!]?\w+\*?|\$\*?/y;

/** Splits a rule file into tokens; `undefined` if a literal has no end. */
export function tokensOf(text: string): readonly Token[] | undefined {
  const tokens: Token[] = [];
  let at = 0;
  const take = (expression: RegExp): string | undefined => {
    expression.lastIndex = at;
    const found = expression.exec(text)?.[0];
    at += found?.length ?? 0;
    return found;
  };
  for (take(SPACE); at < text.length; take(SPACE)) {
    const token = literal(text[at] ?? '', tokens.at(-1)?.text, take) ?? word(text, at, take);
    if (token === undefined) return undefined;
    if (token.kind === 'sign') at += 1;
    tokens.push(token);
  }
  return tokens;
}

type Take = (expression: RegExp) => string | undefined;

/** Only after `=` and `matches` a slash starts an expression; only after `=` a brace a pattern. */
function literal(first: string, previous: string | undefined, take: Take): Token | undefined {
  if (first === '"') return tokenOf('text', take(TEXT));
  if (first === '/' && (previous === '=' || previous === 'matches'))
    return tokenOf('expression', take(EXPRESSION));
  return first === '{' && previous === '=' ? tokenOf('hex', take(HEX)) : undefined;
}

function word(text: string, at: number, take: Take): Token | undefined {
  const found = take(WORD);
  if (found !== undefined) return { kind: 'word', text: found };
  // A literal or a comment that has no end.
  return text[at] === '"' || text.startsWith('/*', at)
    ? undefined
    : { kind: 'sign', text: text[at] ?? '' };
}

function tokenOf(kind: Token['kind'], text: string | undefined): Token | undefined {
  return text === undefined ? undefined : { kind, text };
}
