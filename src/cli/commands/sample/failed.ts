import { cursorQuery, DEFAULT_PAGE_SIZE } from '../../../http/requests/feed-query.ts';
import { presentFailedSamples } from '../../../http/responses/present-operation.ts';
import { listFailedSamples } from '../../../operations/samples/list-failed-samples.ts';
import type { Command } from '../../command.ts';
import { outputOption } from '../../output/format.ts';
import { type Columns, printList } from '../../output/list.ts';
import { onStore, parseInput } from '../../store-command.ts';

export const sampleFailed: Command = {
  usage: '[--limit <n>] [--cursor <cursor>]',
  options: {
    ...outputOption,
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
    printList(input, { result: page, columns: failedColumns, rows: page.samples });
    if (page.nextCursor !== null && !input.json)
      input.printMessage(`There are more: --cursor ${page.nextCursor}`);
  },
};

const failedColumns: Columns<ReturnType<typeof presentFailedSamples>['samples'][number]> = [
  { name: 'sha256', title: 'SHA-256', value: ({ sha256Hash }) => sha256Hash },
  { name: 'failed_at', title: 'FAILED AT', value: ({ failedAt }) => failedAt },
  { name: 'attempts', title: 'ATTEMPTS', value: ({ attempts }) => attempts },
  { name: 'file_name', title: 'NAME', flexible: true, value: ({ fileName }) => fileName },
  { name: 'reason', title: 'REASON', flexible: true, value: ({ reason }) => reason },
];
