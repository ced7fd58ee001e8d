import type { TagMeaning } from '../format.ts';

/** Suspicious member names. Names are only displayed and judged, never used as paths. */
export const NAME_TAGS = {
  PATH_TRAVERSAL: [5, 'The name of a member makes unpacking write outside of the target folder'],
  DOUBLE_EXTENSION: [4, 'A program with the name of a document'],
  RTLO_NAME: [6, 'A name with a right-to-left override, which hides the file extension'],
} as const satisfies Readonly<Record<string, TagMeaning>>;

export type NameTag = keyof typeof NAME_TAGS;

const OUTSIDE = /(?:^|[\\/])\.\.(?:[\\/]|$)|^[\\/]|^[a-z]:/i;
/**
 * Right-to-left override and embedding. Marks and isolates also occur in regular Hebrew and Arabic
 * names.
 */
const RIGHT_TO_LEFT = /[\u202b\u202e]/;
/** Trailing spaces and underscores push the true extension out of sight. */
const DOCUMENT =
  /\.(?:pdf|docx?|xlsx?|pptx?|rtf|txt|csv|jpe?g|png|gif|bmp|svg|mp[34]|avi|html?|xml)[\s_]*$/i;
const PROGRAM =
  /\.(?:exe|scr|com|pif|bat|cmd|jse?|vb[es]|ws[fh]|hta|ps1|lnk|msi|jar|cpl|url|iso|dll|xll)$/i;

export function nameTags(name: string): readonly NameTag[] {
  const tags: NameTag[] = [];
  if (OUTSIDE.test(name)) tags.push('PATH_TRAVERSAL');
  if (hasTwoEndings(name.trimEnd())) tags.push('DOUBLE_EXTENSION');
  if (RIGHT_TO_LEFT.test(name)) tags.push('RTLO_NAME');
  return tags;
}

function hasTwoEndings(name: string): boolean {
  return isProgramName(name) && DOCUMENT.test(name.slice(0, name.lastIndexOf('.')));
}

/** Whether opening such a file runs it. */
export function isProgramName(name: string): boolean {
  return PROGRAM.test(name);
}
