/** What an indicator is about: a C2, a file, or both. */
export interface PatternSubject {
  readonly host?: string;
  readonly port?: number;
  readonly sha256?: string;
}

/** A literal that does not end is recognised too, so that the search takes linear time. */
const TOKEN = /[[\]=]|'(?:[^'\\]|\\.)*'?|[A-Za-z0-9-]+(?::[A-Za-z0-9_.'"-]+)?/y;
const BLANKS = /\s*/y;
/** The pattern with a `#` for each comparison and without blanks. */
const CONJUNCTION = /^\[#(?:AND#)*\](?:AND\[#(?:AND#)*\])*$/;
const LITERAL = /^'(?:[^'\\]|\\.)*'$/;
const MAX_PATTERN_LENGTH = 2000;
/** Those of ten comparisons, each in its own observation. A report has three comparisons. */
const MAX_TOKENS = 60;

const MEMBERS: Readonly<Record<string, keyof PatternSubject>> = {
  'ipv4-addr:value': 'host',
  'ipv6-addr:value': 'host',
  'domain-name:value': 'host',
  'network-traffic:dst_ref.value': 'host',
  'network-traffic:dst_port': 'port',
  "file:hashes.'SHA-256'": 'sha256',
  'file:hashes."SHA-256"': 'sha256',
};

/**
 * Reads a pattern of equality comparisons that are joined with AND, in one or more observations.
 * Returns a sentence that says what is wrong with any other.
 */
export function readPattern(pattern: string): PatternSubject | string {
  if (pattern.length > MAX_PATTERN_LENGTH)
    return `The pattern must have at most ${MAX_PATTERN_LENGTH} characters.`;
  const tokens = tokensOf(pattern);
  if (tokens.length > MAX_TOKENS)
    return 'The pattern is too long: it may compare a host, a port and a hash.';
  const comparisons: [path: string, value: string][] = [];
  let frame = '';
  for (let index = 0; index < tokens.length; index += 1) {
    const [token = '', sign, value] = tokens.slice(index, index + 3);
    if (sign === '=' && value !== undefined) {
      comparisons.push([token, value]);
      index += 2;
    }
    frame += sign === '=' ? '#' : token;
  }
  if (!CONJUNCTION.test(frame))
    return 'The pattern must consist of comparisons with "=" that are joined with AND.';
  return readComparisons(comparisons);
}

/** At most one more than `MAX_TOKENS`; none if there is anything else in the pattern before it. */
function tokensOf(pattern: string): readonly string[] {
  const tokens: string[] = [];
  let index = skip(BLANKS, pattern, 0);
  while (index < pattern.length && tokens.length <= MAX_TOKENS) {
    const end = skip(TOKEN, pattern, index);
    if (end === index) return [];
    tokens.push(pattern.slice(index, end));
    index = skip(BLANKS, pattern, end);
  }
  return tokens;
}

/** The index after what a sticky expression matches. */
function skip(expression: RegExp, text: string, index: number): number {
  expression.lastIndex = index;
  return expression.test(text) ? expression.lastIndex : index;
}

function readComparisons(
  comparisons: readonly (readonly [path: string, value: string])[],
): PatternSubject | string {
  const subject: Record<string, string | number> = {};
  for (const [path, value] of comparisons) {
    const isNumber = /^[0-9]{1,5}$/.test(value);
    if (!isNumber && !LITERAL.test(value))
      return `The pattern must compare ${path.slice(0, 64)} with a text or a number.`;
    const read = isNumber ? Number(value) : value.slice(1, -1).replace(/\\(.)/g, '$1');
    const problem = addComparison(subject, path, read);
    if (problem !== undefined) return problem;
  }
  return subject;
}

function addComparison(
  subject: Record<string, string | number>,
  path: string,
  value: string | number,
): string | undefined {
  const member = Object.hasOwn(MEMBERS, path) ? MEMBERS[path] : undefined;
  if (member === undefined)
    return `The pattern compares ${path.slice(0, 64)}; it may compare ${Object.keys(MEMBERS).join(', ')}.`;
  if (member in subject) return `The pattern has more than one ${member}.`;
  if ((member === 'port') !== (typeof value === 'number'))
    return `The pattern must compare ${path} with ${member === 'port' ? 'a number' : 'a text'}.`;
  subject[member] = value;
  return undefined;
}
