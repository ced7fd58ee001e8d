import { requiredReason, sha256Params } from '../../../http/requests/parameters.ts';
import { purgeSample } from '../../../operations/purge.ts';
import type { Command } from '../../command.ts';
import { auditContextOf, onStore, parseInput } from '../../store-command.ts';

export const sampleRemove: Command = {
  usage: '<sha256> --reason <text>',
  arguments: { '<sha256>': 'The SHA-256 of the file' },
  options: {
    reason: {
      type: 'string',
      value: '<text>',
      description: 'Why, for the audit log and the tombstone',
    },
  },
  examples: [
    {
      command:
        "rapsheet sample remove 275a021bbfb6489e54d471899f7db9d1663fc695ec2fe2a2c4538aabf651fd0f --reason 'personal data'",
      description: 'Remove an analysis',
    },
  ],
  positionals: [1, 1],
  async run(input) {
    const { sha256, reason } = parseInput(
      sha256Params.extend(requiredReason.shape),
      { sha256: input.positionals[0], reason: input.options['reason'] },
      { sha256: '<sha256>', reason: '--reason' },
    );
    await onStore(input, (deps) => purgeSample(deps, auditContextOf(deps), sha256, reason));
    const message = `The analysis report of ${sha256} was removed.`;
    input.print({ message, successful: true }, message);
  },
};
