import { readdirSync, readFileSync } from 'node:fs';

export interface Guide {
  readonly title: string;
  readonly path: string;
  readonly text: string;
}

/** Next to `src`, in the installed package too. */
const GUIDES = new URL('../../../../docs/guides/', import.meta.url);

/** The guides for people, by file name. None if the folder is not installed. */
export function readGuides(): readonly Guide[] {
  return guideFiles().map((file) => {
    const text = readFileSync(new URL(file, GUIDES), 'utf8');
    const [, title = file] = /^# (.+)$/m.exec(text) ?? [];
    return { title, path: `/docs/guides/${file}`, text };
  });
}

function guideFiles(): readonly string[] {
  try {
    return readdirSync(GUIDES)
      .filter((file) => file.endsWith('.md'))
      .sort();
  } catch {
    return [];
  }
}
