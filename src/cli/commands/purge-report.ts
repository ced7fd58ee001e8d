import { reasonAsked, uuidParams } from '../../http/requests/parameters.ts';
import { purgeReport as purge } from '../../operations/purge.ts';
import type { Command } from '../command.ts';
import { obeying, onStore, operatorOf } from '../store-command.ts';

export const purgeReport: Command = {
  name: 'purge report',
  usage: '<id> --reason <text>',
  summary: 'Remove a report from whichever feed it is in; a tombstone and the reason stay',
  options: { reason: { type: 'string' } },
  words: [1, 1],
  async run(input) {
    const { id, reason } = obeying(uuidParams.extend(reasonAsked.shape), {
      id: input.words[0],
      reason: input.options['reason'],
    });
    await onStore(input, (deps) => purge(deps, operatorOf(deps), id, reason));
    const message = `Report ${id} was removed.`;
    input.print({ message, successful: true }, message);
  },
};
