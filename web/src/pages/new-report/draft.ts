import type { CreateReportBody } from '../../../../src/client/wire.ts';

/** What the form holds, as typed. */
export interface Draft {
  readonly c2: string;
  readonly hash: string;
  readonly tags: string;
  readonly link: string;
  readonly confidence: string;
}

const MAX_TAGS = 32;
const MAX_TAG_LENGTH = 64;
const MAX_LINK_LENGTH = 2048;

/** What is wrong with a draft, by field. The server decides; these are its rules as you type. */
export function problemsOf(draft: Draft, scale: number): Partial<Record<keyof Draft, string>> {
  const problems: Partial<Record<keyof Draft, string>> = {};
  const add = (name: keyof Draft, problem: string | undefined) => {
    if (problem !== undefined) problems[name] = problem;
  };
  add('c2', c2Problem(refang(draft.c2)));
  if (!/^[0-9a-f]{64}$/i.test(draft.hash.trim()))
    add(
      'hash',
      `A SHA-256 has 64 hexadecimal digits; this has ${draft.hash.trim().length} characters.`,
    );
  add('tags', tagsProblem(splitTags(draft.tags)));
  if (draft.link.trim() !== '') add('link', linkProblem(draft.link.trim()));
  if (draft.confidence.trim() !== '')
    add('confidence', confidenceProblem(draft.confidence.trim(), scale));
  return problems;
}

export function toBody(draft: Draft): CreateReportBody {
  const tags = splitTags(draft.tags);
  return {
    c2Address: draft.c2.trim(),
    file256Hash: draft.hash.trim(),
    ...(tags.length > 0 && { tags }),
    ...(draft.link.trim() !== '' && { referenceLink: draft.link.trim() }),
    ...(draft.confidence.trim() !== '' && { confidenceScore: Number(draft.confidence) }),
  };
}

export function splitTags(text: string): readonly string[] {
  return text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}

export function refang(text: string): string {
  return text.trim().replaceAll('[.]', '.');
}

function c2Problem(address: string): string | undefined {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9_.-]+):(\d+)$/i.exec(address);
  if (match === null) return 'An address is host:port, such as evil.example:4444.';
  const port = Number(match[2]);
  if (port < 1 || port > 65_535 || match[2]?.startsWith('0') === true)
    return 'A port is a number from 1 to 65535 without leading zeros.';
  return undefined;
}

function tagsProblem(tags: readonly string[]): string | undefined {
  if (tags.length > MAX_TAGS) return `At most ${MAX_TAGS} tags; these are ${tags.length}.`;
  const long = tags.find((tag) => [...tag].length > MAX_TAG_LENGTH);
  return long === undefined ? undefined : `A tag has at most ${MAX_TAG_LENGTH} characters.`;
}

function linkProblem(link: string): string | undefined {
  const url = URL.canParse(link) ? new URL(link) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    return 'A link begins with http:// or https://.';
  if (url.username + url.password !== '') return 'A link must not have a user name or password.';
  return link.length > MAX_LINK_LENGTH
    ? `A link has at most ${MAX_LINK_LENGTH} characters.`
    : undefined;
}

function confidenceProblem(text: string, scale: number): string | undefined {
  return /^\d{1,3}$/.test(text) && Number(text) <= scale
    ? undefined
    : `The confidence is a whole number from 0 to ${scale}.`;
}
