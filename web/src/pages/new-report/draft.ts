import type { CreateReportBody, ReportPreview } from '../../../../src/client/wire.ts';

/** What the form holds, as typed. */
export interface Draft {
  readonly c2: string;
  readonly hash: string;
  readonly tags: string;
  readonly link: string;
  readonly confidence: string;
}

export type Problems = Partial<Record<keyof Draft, string>>;

const FIELDS: Readonly<Record<string, keyof Draft>> = {
  c2Address: 'c2',
  file256Hash: 'hash',
  tags: 'tags',
  referenceLink: 'link',
  confidenceScore: 'confidence',
};

/** A draft as the API takes it. The server decides what is valid, so nothing is refused here. */
export function toBody(draft: Draft): CreateReportBody {
  const tags = splitTags(draft.tags);
  return {
    c2Address: readC2(draft.c2),
    file256Hash: draft.hash.trim(),
    ...(tags.length > 0 && { tags }),
    ...(draft.link.trim() !== '' && { referenceLink: refangLink(draft.link.trim()) }),
    ...(draft.confidence.trim() !== '' && { confidenceScore: Number(draft.confidence) }),
  };
}

/** What the server says of each field. */
export function problemsOf({ problems }: ReportPreview): Problems {
  return Object.fromEntries(
    problems.map(({ field, error }) => [FIELDS[field] ?? field, error.replace(field, 'This')]),
  );
}

export function splitTags(text: string): readonly string[] {
  return text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}

const PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' };

/**
 * The address in what analysts paste: `hxxp://evil[.]example/gate.php` is `evil[.]example:80`.
 * Without a scheme the text stays as it is.
 */
export function readC2(text: string): string {
  const match = /^([a-z]+)\[?:\]?\/\/(?:[^/?#@]*@)?([^/?#]+)/i.exec(text.trim());
  if (match === null) return text.trim();
  const [, scheme = '', authority = ''] = match;
  if (/:\]?\d+$/.test(authority)) return authority;
  const port = PORTS[scheme.toLowerCase().replace(/^hxxp/, 'http')];
  return port === undefined ? authority : `${authority}:${port}`;
}

/** A link that was pasted in its defanged form. */
function refangLink(link: string): string {
  return link.replace(/^hxxp/i, 'http').replaceAll('[.]', '.').replace('[:]//', '://');
}
