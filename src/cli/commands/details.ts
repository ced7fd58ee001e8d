import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { refuseMistyped } from '../input/hashes.ts';
import { showAnalysis, showDetails, showQuota } from '../output/show.ts';

export const details: Command = {
  name: 'details',
  usage: '<hash>',
  summary: 'Show an analysis report with the evidence behind it; costs a unit, as a lookup does',
  arguments: { '<hash>': 'SHA-256, SHA-512 or BLAKE3 of a file' },
  options: connectionOptions,
  examples: [
    {
      command: 'rapsheet details b98861fb5cb7d7a387f885ff49f0fdb0f0f2b78147f672c4f3d948cbd7adf8e3',
      description: 'Show which rules and offsets the tags of a file come from',
    },
  ],
  positionals: [1, 1],
  async run(input) {
    const [hash = ''] = input.positionals;
    refuseMistyped(hash);
    const { report, details, quota } = await connect(input).details(hash, { report: true });
    const evidence = details === null ? '' : showDetails(details, true);
    input.print({ report, details }, `${showAnalysis(report)}${evidence && `\n${evidence}`}`);
    if (details === null)
      input.printMessage('The report was imported: there is no evidence behind it.');
    if (quota !== undefined) input.printMessage(showQuota(quota));
  },
};
