/** What an indicator is about: a C2, a file, or both. */
export interface PatternSubject {
  readonly host?: string;
  readonly port?: number;
  readonly sha256?: string;
}

const COMPARISON =
  /([a-z0-9-]+:[A-Za-z0-9_.'"-]+)\s*=\s*(?:'((?:[^'\\]|\\.)*)'|([0-9]{1,5})(?![0-9]))/g;
/** The pattern with a `#` for each comparison and without blanks. */
const CONJUNCTION = /^\[#(?:AND#)*\](?:AND\[#(?:AND#)*\])*$/;
const MAX_PATTERN_LENGTH = 2000;

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
  const frame = pattern.replace(COMPARISON, '#').replace(/\s/g, '');
  if (!CONJUNCTION.test(frame))
    return 'The pattern must consist of comparisons with "=" that are joined with AND.';
  const subject: Record<string, string | number> = {};
  for (const [, path = '', text, number] of pattern.matchAll(COMPARISON)) {
    const problem = addComparison(subject, path, text ?? Number(number));
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
  subject[member] = typeof value === 'number' ? value : value.replace(/\\(.)/g, '$1');
  return undefined;
}
