import { requiredReason, sha256Params } from '../../http/requests/parameters.ts';
import { purgeSample as purge } from '../../operations/purge.ts';
import type { Command } from '../command.ts';
import { auditContextOf, onStore, parseInput } from '../store-command.ts';

export const purgeSample: Command = {
  name: 'purge sample',
  usage: '<sha256> --reason <text>',
  summary: 'Remove the analysis report of a file; a tombstone and the reason remain',
  options: { reason: { type: 'string' } },
  positionals: [1, 1],
  async run(input) {
    const { sha256, reason } = parseInput(
      sha256Params.extend(requiredReason.shape),
      { sha256: input.positionals[0], reason: input.options['reason'] },
      { sha256: '<sha256>', reason: '--reason' },
    );
    await onStore(input, (deps) => purge(deps, auditContextOf(deps), sha256, reason));
    const message = `The analysis report of ${sha256} was removed.`;
    input.print({ message, successful: true }, message);
  },
};
