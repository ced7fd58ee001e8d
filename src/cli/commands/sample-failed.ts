import { cursorQuery, DEFAULT_PAGE_SIZE } from '../../http/requests/feed-query.ts';
import { presentFailedSamples } from '../../http/responses/present-operation.ts';
import { listFailedSamples } from '../../operations/samples/list-failed-samples.ts';
import type { Command } from '../command.ts';
import { table } from '../output/table.ts';
import { onStore, parseInput } from '../store-command.ts';

export const sampleFailed: Command = {
  name: 'sample failed',
  usage: '[--limit <n>] [--cursor <cursor>]',
  summary: 'List the files whose analysis failed, newest failure first',
  options: {
    limit: {
      type: 'string',
      value: '<n>',
      description: 'The largest number of files: 100 by default, at most 1000',
    },
    cursor: { type: 'string', value: '<cursor>', description: 'Continue after the previous page' },
  },
  examples: [
    { command: 'rapsheet sample failed', description: 'List the files that could not be analysed' },
  ],
  async run(input) {
    const { limit = DEFAULT_PAGE_SIZE, cursor } = parseInput(
      cursorQuery,
      { limit: input.options['limit'], cursor: input.options['cursor'] },
      { limit: '--limit', cursor: '--cursor' },
    );
    const found = await onStore(input, (deps) => listFailedSamples(deps, { limit, cursor }));
    const page = presentFailedSamples(found);
    input.print(page, failedTable(page.samples));
    if (page.nextCursor !== null && !input.json)
      input.printMessage(`There are more: --cursor ${page.nextCursor}`);
  },
};

function failedTable(samples: ReturnType<typeof presentFailedSamples>['samples']): string {
  return table(
    ['SHA-256', 'FAILED AT', 'ATTEMPTS', 'NAME', 'REASON'],
    samples.map(({ sha256Hash, failedAt, attempts, fileName, reason }) => [
      sha256Hash,
      failedAt,
      attempts === null ? '' : String(attempts),
      fileName,
      reason,
    ]),
  );
}
