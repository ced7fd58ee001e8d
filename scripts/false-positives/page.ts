import type { Exception } from './exceptions.ts';
import type { SourceCounts } from './tally.ts';

/** The page of the last full run. */
export function pageOf(
  sources: ReadonlyMap<string, SourceCounts>,
  explained: ReadonlyMap<Exception, ReadonlySet<string>>,
): string {
  const rows = [...sources].map(
    ([source, { files, families, configs, explained: known, unexplained }]) =>
      `| ${source} | ${files} | ${families} | ${configs} | ${known} | ${unexplained} |`,
  );
  const total = [...sources.values()].reduce((sum, { files }) => sum + files, 0);
  const reasons = [...explained].map(
    ([{ tags, files, reason }, found]) =>
      `| ${tags.map((tag) => `\`${tag}\``).join(', ')} | \`${files}\` | ${found.size} | ${reason} |`,
  );
  return `# Ordinary files

\`npm run trial -- false-positives --write\` writes this page. It analyses the files of this machine, of the dependencies
and of the packages in \`scripts/false-positives/packages.json\`, and fails for a family, for settings, and for a tag of
heat 7 or 8 that \`scripts/false-positives/exceptions.ts\` does not explain. \`--short\` uses a part of the packages.

The last full run analysed ${total} files:

| source | files | with a family | with settings | tags of heat 7 and 8, explained | not explained |
| --- | --- | --- | --- | --- | --- |
${rows.join('\n')}

The explained tags:

| tags | files | count | reason |
| --- | --- | --- | --- |
${reasons.join('\n')}
`;
}
