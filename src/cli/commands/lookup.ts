import type { RapsheetClient } from '../../client/client.ts';
import { type Quota, RapsheetError } from '../../client/error.ts';
import { parseFileHash } from '../../domain/samples/file-hash.ts';
import { type Command, CommandError, type CommandInput, EXIT } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { showAnalysis, showQuota, visible } from '../output/show.ts';

export const lookup: Command = {
  name: 'lookup',
  usage: '<hash>…',
  summary: 'Look up analysis reports by SHA-256, SHA-512 or BLAKE3; each hash costs a unit',
  arguments: { '<hash>…': 'SHA-256, SHA-512 or BLAKE3' },
  options: connectionOptions,
  examples: [
    {
      command: 'rapsheet lookup 275a021bbfb6489e54d471899f7db9d1663fc695ec2fe2a2c4538aabf651fd0f',
      description: 'Look up a file',
    },
    {
      command:
        'rapsheet lookup 275a021bbfb6489e54d471899f7db9d1663fc695ec2fe2a2c4538aabf651fd0f --json',
      description: 'Look up a file for a program',
    },
  ],
  positionals: [1, Number.POSITIVE_INFINITY],
  async run(input) {
    for (const hash of input.positionals) refuseMistyped(hash);
    const lookups = new Lookups(connect(input), input);
    try {
      for (const hash of input.positionals) await lookups.lookUp(hash);
    } finally {
      lookups.printQuota();
    }
    if (lookups.missing > 0)
      throw new CommandError(
        `${lookups.missing} of ${input.positionals.length} have no analysis report`,
        EXIT.absent,
      );
  },
};

/** The server would charge a unit for it. */
function refuseMistyped(hash: string): void {
  if (parseFileHash(hash) !== undefined) return;
  throw new CommandError(
    `${hash} is not a SHA-256, SHA-512 or BLAKE3; nothing was looked up`,
    EXIT.usage,
  );
}

/** Looks up hashes one by one. A hash without an analysis does not stop the others. */
class Lookups {
  missing = 0;
  #shown = 0;
  #quota: Quota | undefined;
  readonly #client: RapsheetClient;
  readonly #input: CommandInput;

  constructor(client: RapsheetClient, input: CommandInput) {
    this.#client = client;
    this.#input = input;
  }

  async lookUp(hash: string): Promise<void> {
    try {
      const { report, quota } = await this.#client.lookUp(hash);
      this.#quota = quota ?? this.#quota;
      this.#input.print(report, `${this.#shown > 0 ? '\n' : ''}${showAnalysis(report)}`);
      this.#shown += 1;
    } catch (cause) {
      if (cause instanceof RapsheetError) this.#quota = cause.quota ?? this.#quota;
      if (!(cause instanceof RapsheetError && cause.code === 'unknown_sample')) throw cause;
      this.missing += 1;
      this.#input.printMessage(`${hash}: ${visible(cause.message)}`);
    }
  }

  printQuota(): void {
    if (this.#quota !== undefined) this.#input.printMessage(showQuota(this.#quota));
  }
}
