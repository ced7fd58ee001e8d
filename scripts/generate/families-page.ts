import type { Extractor, FamilyPage } from '../../src/analysis/extractors/extractor.ts';
import { extractors } from '../../src/analysis/extractors/index.ts';
import { tagName } from '../../src/analysis/tags.ts';
import { escapeMarkdown, GENERATED, markdownTable } from './markdown.ts';

const INTRODUCTION = `# Families

The families whose settings are read, in the order in which a file is held against them. Settings stand in \`configs\` of the
report under the family's tag, its C2 addresses in the details as well, and a search for an address finds the file.

- **10**: the settings were decoded, and something in them proves it, as the table says. **9**: the family was recognised, but
  its settings are not there (a template that was never built) or cannot be read; or they were read by heuristics, and the
  settings say so (\`Certainty\`). What nothing proves is not told: a sample whose settings are damaged has none, and no
  address; that it is one of the family a rule may still know by its texts, which is 9.
- What is read are settings as they lie in a file that is not packed, or in what the engine unpacks: archives, resources,
  overlays, base64, gzip, UPX. A sample that a crypter wraps gives nothing; a dump of its memory may.
- Everything was written from public descriptions and tried on programs of our own that carry the layout and the cryptography
  (\`npm run fixtures\`), never on live samples. That proves that we read what is described, not how much of what is in the
  wild looks like that.
- Addresses, webhooks and tokens are told and never contacted.

[How to add one](add-a-family.md)
`;

interface Told {
  readonly tag: string;
  readonly category: string;
  readonly page: FamilyPage;
}

/** The page that lists every family, from what its extractor says of it. */
export function familiesPage(): string {
  const told = extractors.flatMap(familiesOf);
  const rows = told.map(({ tag, category, page }) => [
    `[${page.name}](#${anchorOf(page.name)})`,
    `\`${tag}\``,
    category,
    escapeMarkdown(page.versions),
    escapeMarkdown(page.proof),
  ]);
  const overview = markdownTable(['Family', 'Tag', 'Category', 'Versions', 'Proof'], rows);
  return `${GENERATED}\n\n${INTRODUCTION}\n${overview}\n${told.map(section).join('\n')}`;
}

function familiesOf({ pages, category = '', namesFamily }: Extractor): Told[] {
  return Object.entries(pages).map(([family, page]) => ({
    tag: tagName(family),
    category: namesFamily === false ? 'none' : category,
    page,
  }));
}

/** As code hosting sites make it of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function section({ page }: Told): string {
  const lines = [
    `- Reads: ${escapeMarkdown(page.reads)}`,
    `- Of: ${escapeMarkdown(page.versions)}`,
    `- Proved by: ${escapeMarkdown(page.proof)}`,
    `- Not covered: ${escapeMarkdown(page.notCovered)}`,
    ...page.references.map((reference) => `- Described at <${reference}>`),
  ];
  return `## ${page.name}\n\n${lines.join('\n')}\n`;
}
