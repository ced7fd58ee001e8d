import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { GENERAL_TAGS } from '../../src/analysis/collection.ts';
import { extractors } from '../../src/analysis/extractors/index.ts';
import type { TagMeaning } from '../../src/analysis/formats/format.ts';
import { formats } from '../../src/analysis/formats/index.ts';
import { generalFindings } from '../../src/analysis/general-findings.ts';
import { escapeMarkdown, GENERATED, markdownTable } from './markdown.ts';

const INTRODUCTION = `# Tags

A tag has a name of \`[A-Z0-9_.-]\` and a heat. An analysis has each name once, with the highest heat that any source gave it,
sorted by heat, at most 64. Tags of archive members and other nested content count for the containing file.

| heat | meaning |
| --- | --- |
| 1 | a neutral fact, or a category: \`PE32\`, \`SIGNED\`, \`RAT\` |
| 2–3 | a weak trait: \`OVERLAY\` |
| 4–6 | a suspicious capability: \`DISCORD_WEBHOOK\` |
| 7–8 | a strong one: \`PROCESS_INJECTION\` |
| 9 | a family, by a rule or a heuristic alone, or without its settings |
| 10 | a family whose settings were decoded |

## Adding one

The component that gives a tag declares it. A format has a line in its \`tags\`, with heat and meaning; the compiler rejects other
tags ([formats](formats.md)). A rule has \`tag\`, \`heat\` and \`description\` in its \`meta\` ([rules](rules.md)). An extractor declares in
\`tags\` the features that settings enable ([a family](add-a-family.md)). The tag of a family is the name of its extractor, with heat 10,
or 9 without settings, and needs no declaration; [families](families.md) lists them. Choose the heat by what the tag alone suggests.
Then \`npm run generate\` regenerates this page.

## All tags
`;

interface TagSource {
  readonly source: string;
  readonly name: string;
  readonly heat: number;
  readonly meaning: string;
}

/**
 * The page that lists every tag, generated from the declarations of formats, extractors and rules.
 */
export function tagsPage(): string {
  const byName = Map.groupBy(tagSources(), ({ name }) => name);
  const rows = [...byName]
    .map(([name, all]) => ({ name, all, heat: Math.max(...all.map((one) => one.heat)) }))
    .sort((one, other) => other.heat - one.heat || (one.name < other.name ? -1 : 1))
    .map(({ name, all, heat }) => [
      `\`${name}\``,
      String(heat),
      escapeMarkdown(sentence(all[0]?.meaning ?? '')),
      [...new Set(all.map(({ source }) => source))].join(', '),
    ]);
  return `${GENERATED}\n\n${INTRODUCTION}\n${markdownTable(['Tag', 'Heat', 'Meaning', 'Source'], rows)}`;
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function tagSources(): TagSource[] {
  const declared: [string, Readonly<Record<string, TagMeaning>>][] = [
    ['engine', GENERAL_TAGS],
    [generalFindings.name, generalFindings.tags],
    ...formats.map(({ name, tags }): [string, typeof tags] => [name, tags]),
    ...extractors.map(({ family, tags = {} }): [string, typeof tags] => [family, tags]),
  ];
  return [
    ...declared.flatMap(([source, tags]) =>
      Object.entries(tags).map(([name, [heat, meaning]]) => ({ source, name, heat, meaning })),
    ),
    ...ruleTagSources(),
  ];
}

/** The rules have one `meta` entry per line. */
function ruleTagSources(): TagSource[] {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  return globSync('rules/**/*.yar', { cwd: root })
    .sort()
    .flatMap((file) => {
      const text = readFileSync(`${root}${file}`, 'utf8');
      return text
        .split(/^(?:private )?rule /m)
        .slice(1)
        .flatMap((rule) => ruleTagSource(file, rule));
    });
}

function ruleTagSource(file: string, rule: string): TagSource[] {
  const text = (name: string) => new RegExp(`^\\s*${name} = "(.*)"$`, 'm').exec(rule)?.[1];
  const name = text('tag') ?? text('family');
  if (name === undefined) return [];
  const heat = text('tag') === undefined ? 9 : Number(/^\s*heat = (\d+)$/m.exec(rule)?.[1] ?? 5);
  return [{ source: `\`${file}\``, name, heat, meaning: text('description') ?? '' }];
}
