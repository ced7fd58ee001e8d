import type { Extractor, FamilyPage } from '../../src/analysis/extractors/extractor.ts';
import { extractors } from '../../src/analysis/extractors/index.ts';
import { tagName } from '../../src/analysis/tags.ts';
import { escapeMarkdown, GENERATED, markdownTable } from './markdown.ts';

const INTRODUCTION = `# Families

The families that the engine recognises, in the order of the extractors. The settings of a family are in \`configs\` under its tag. Its
C2 addresses are in the details too, and a search for an address finds the file.

- Heat **10**: the settings were decoded, and the proof of the family holds. Heat **9**: the family was recognised, but its settings
  are absent (an unbuilt template) or unreadable; or a heuristic read them, and \`Certainty\` states it. Unproven settings are not
  reported: a sample with damaged settings has no settings and no address; a rule may still recognise its strings, with heat 9.
- The engine reads settings of unpacked files, and of content that it unpacks: archives, resources, overlays, base64, gzip, UPX. A
  sample inside a crypter gives nothing; a dump of its memory may.
- Extractors were written from public descriptions and tested on programs of our own that carry the layout and the cryptography
  (\`npm run generate -- fixtures\`), never on live samples. That proves that they read the described layout, not how common it
  is. [Other parsers](cross-check.md) read the same programs.
- Addresses, webhooks and tokens are reported and never contacted.

[How to add one](add-a-family.md)
`;

interface FamilyEntry {
  readonly tag: string;
  readonly category: string;
  readonly page: FamilyPage;
}

/** The page that lists every family, generated from the descriptions of the extractors. */
export function familiesPage(): string {
  const entries = extractors.flatMap(familiesOf);
  const rows = entries.map(({ tag, category, page }) => [
    `[${page.name}](#${anchorOf(page.name)})`,
    `\`${tag}\``,
    category,
  ]);
  const overview = markdownTable(['Family', 'Tag', 'Category'], rows);
  return `${GENERATED}\n\n${INTRODUCTION}\n${overview}\n${entries.map(section).join('\n')}`;
}

function familiesOf({ pages, category = '', namesFamily }: Extractor): FamilyEntry[] {
  return Object.entries(pages).map(([family, page]) => ({
    tag: tagName(family),
    category: namesFamily === false ? 'none' : category,
    page,
  }));
}

/** The anchor that code hosting sites generate for a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function section({ page }: FamilyEntry): string {
  const lines = [
    `- Reads: ${escapeMarkdown(page.reads)}`,
    `- Versions: ${escapeMarkdown(page.versions)}`,
    `- Proved by: ${escapeMarkdown(page.proof)}`,
    `- Not covered: ${escapeMarkdown(page.notCovered)}`,
    ...page.references.map((reference) => `- Described at <${reference}>`),
  ];
  return `## ${page.name}\n\n${lines.join('\n')}\n`;
}
