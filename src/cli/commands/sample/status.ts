import type { SampleState } from '../../../client/wire.ts';
import { parseFileHash } from '../../../domain/samples/file-hash.ts';
import { type Command, CommandError, type CommandInput, EXIT } from '../../command.ts';
import { connect } from '../../connection.ts';
import { mapInOrder } from '../../input/files.ts';
import { askedHashes, inBatches } from '../../input/hashes.ts';
import { connectionOptions } from '../../options/connection-options.ts';
import { outputOption } from '../../output/format.ts';
import { type Columns, Pages } from '../../output/list.ts';

/** Printed together, so that their columns line up. */
const PAGE = 100;
const CALLS_AT_ONCE = 8;

export const sampleStatus: Command = {
  usage: '<hash>…|- [--ndjson]',
  arguments: {
    '<hash>…': 'SHA-256, SHA-512 or BLAKE3 of a file; - reads them from standard input',
  },
  options: {
    ...connectionOptions,
    ...outputOption,
    ndjson: { type: 'boolean', description: 'The same as --json: one line per hash' },
  },
  examples: [
    {
      command:
        'rapsheet sample status 275a021bbfb6489e54d471899f7db9d1663fc695ec2fe2a2c4538aabf651fd0f',
      description: 'Show whether a file is known and analysed',
    },
  ],
  positionals: [1, Number.POSITIVE_INFINITY],
  async run(input) {
    const client = connect(input);
    const pages = new Pages(input, statusColumns);
    const counts = { asked: 0, absent: 0 };
    const ask = async (hash: string): Promise<HashStatus> => ({
      hash,
      ...(parseFileHash(hash) === undefined ? MALFORMED : await client.sampleStatus(hash)),
    });
    for await (const hashes of inBatches(askedHashes(input.positionals), PAGE)) {
      const found = await Array.fromAsync(mapInOrder(hashes, CALLS_AT_ONCE, ask));
      printPage(input, pages, found);
      counts.asked += found.length;
      counts.absent += found.filter((one) => one.status === 'unknown').length;
    }
    if (counts.asked === 0) throw new CommandError('standard input has no hashes', EXIT.usage);
    if (counts.absent > 0) throw new CommandError(absenceOf(counts), EXIT.absent);
  },
};

function absenceOf({ asked, absent }: { readonly asked: number; readonly absent: number }): string {
  if (asked === 1) return 'the server does not know this file';
  return `${absent} of ${asked} files ${absent === 1 ? 'is' : 'are'} not known`;
}

interface HashStatus extends SampleState {
  readonly hash: string;
}

const MALFORMED: SampleState = {
  status: 'unknown',
  reason: 'This is not a SHA-256, SHA-512 or BLAKE3.',
};

/** A line of JSON per hash, as `lookup` prints them. */
function printPage(
  { json, print }: CommandInput,
  pages: Pages<HashStatus>,
  found: readonly HashStatus[],
): void {
  if (json) for (const one of found) print(one, '');
  else pages.show(found, found);
}

const statusColumns: Columns<HashStatus> = [
  { name: 'hash', title: 'HASH', value: ({ hash }) => hash },
  { name: 'status', title: 'STATUS', value: ({ status }) => status },
  { name: 'reason', title: 'REASON', flexible: true, value: ({ reason }) => reason },
];
