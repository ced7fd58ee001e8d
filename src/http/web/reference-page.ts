import { readdirSync, readFileSync } from 'node:fs';

/** What the reference page has besides Swagger UI. The script runs in the browser. */
export const REFERENCE_SCRIPT = readFileSync(
  new URL('reference-page.browser.js', import.meta.url),
  'utf8',
);

/** Hides the top bar, which shows another project's name and a field for other documents. */
export const REFERENCE_STYLE = `
.swagger-ui .topbar { display: none; }
.rapsheet-start { box-sizing: border-box; max-width: 1460px; margin: 0 auto; padding: 20px; color: #3b4151; font: 15px/1.5 sans-serif; }
.rapsheet-start h1 { margin: 0; }
.rapsheet-start h2 { margin: 1em 0 0.25em; font-size: 1.15em; }
.rapsheet-start a { color: #2b5c9e; }
.rapsheet-start pre { overflow-x: auto; margin: 0.5em 0; padding: 10px; border-radius: 4px; background: #1b1f24; color: #fff; }
.rapsheet-stream { position: fixed; right: 0; bottom: 0; left: 0; z-index: 1; display: flex; gap: 1em; align-items: center; padding: 10px 20px; background: #1b1f24; color: #fff; font: 15px/1.5 sans-serif; }
.rapsheet-stream button { min-height: 32px; padding: 0 16px; border: 0; border-radius: 4px; background: #fff; color: #1b1f24; font: inherit; cursor: pointer; }
`;

interface Guide {
  readonly title: string;
  readonly path: string;
  readonly text: string;
}

/** Next to `src`, in the installed package too. */
const GUIDES = new URL('../../../docs/guides/', import.meta.url);

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
