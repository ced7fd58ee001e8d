import type { TagMeaning } from '../format.ts';

/** What a member's name may try. Names are shown and judged here; none is ever used as a path. */
export const NAME_TAGS = {
  PATH_TRAVERSAL: [5, 'A member is named so that unpacking writes outside of the folder'],
  DOUBLE_EXTENSION: [4, 'A program that is named like a document'],
  RTLO_NAME: [6, 'A name with a character that turns the reading direction, to hide its ending'],
} as const satisfies Readonly<Record<string, TagMeaning>>;

export type NameTag = keyof typeof NAME_TAGS;

const OUTSIDE = /(?:^|[\\/])\.\.(?:[\\/]|$)|^[\\/]|^[a-z]:/i;
/** Overrides and embeddings towards the left; marks and isolates are in honest Hebrew and Arabic names too. */
const TURNING = /[\u202b\u202e]/;
/** Spaces and underscores behind it push the true ending out of sight. */
const DOCUMENT =
  /\.(?:pdf|docx?|xlsx?|pptx?|rtf|txt|csv|jpe?g|png|gif|bmp|svg|mp[34]|avi|html?|xml)[\s_]*$/i;
const PROGRAM =
  /\.(?:exe|scr|com|pif|bat|cmd|jse?|vb[es]|ws[fh]|hta|ps1|lnk|msi|jar|cpl|url|iso|dll|xll)$/i;

export function nameTags(name: string): readonly NameTag[] {
  const tags: NameTag[] = [];
  if (OUTSIDE.test(name)) tags.push('PATH_TRAVERSAL');
  if (hasTwoEndings(name.trimEnd())) tags.push('DOUBLE_EXTENSION');
  if (TURNING.test(name)) tags.push('RTLO_NAME');
  return tags;
}

function hasTwoEndings(name: string): boolean {
  return isProgramName(name) && DOCUMENT.test(name.slice(0, name.lastIndexOf('.')));
}

/** Whether a double click on such a file would run it. */
export function isProgramName(name: string): boolean {
  return PROGRAM.test(name);
}
