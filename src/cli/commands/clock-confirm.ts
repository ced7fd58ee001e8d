import { confirmClock, readFault } from '../../operations/check-clock.ts';
import { systemTimer } from '../../server/system-timer.ts';
import type { Command } from '../command.ts';
import { onStore, operatorOf } from '../store-command.ts';

export const clockConfirm: Command = {
  name: 'clock confirm',
  usage: '',
  summary: 'Say that the clock is right after a jump, so that housekeeping goes on',
  async run(input) {
    const { at, wasWrong } = await onStore(input, async (deps) => {
      const clocks = { ...deps, timer: systemTimer() };
      const fault = await readFault(clocks);
      const audit = operatorOf(deps);
      await confirmClock(clocks, audit);
      return { at: audit.at, wasWrong: fault?.kind === 'jump' };
    });
    const time = at.toISOString();
    const result = wasWrong ? 'Housekeeping goes on.' : 'Housekeeping was not waiting for it.';
    input.print({ confirmedAt: time, wasWaiting: wasWrong }, `It is ${time}. ${result}`);
  },
};
