import { confirmClock, readFault } from '../../operations/check-clock.ts';
import { systemTimer } from '../../server/system-timer.ts';
import type { Command } from '../command.ts';
import { auditContextOf, onStore } from '../store-command.ts';

export const clockConfirm: Command = {
  usage: '',
  examples: [{ command: 'rapsheet clock confirm', description: 'Confirm that the clock is right' }],
  async run(input) {
    const { at, wasWrong } = await onStore(input, async (deps) => {
      const clocks = { ...deps, timer: systemTimer() };
      const fault = await readFault(clocks);
      const audit = auditContextOf(deps);
      await confirmClock(clocks, audit);
      return { at: audit.at, wasWrong: fault?.kind === 'jump' };
    });
    const time = at.toISOString();
    const result = wasWrong ? 'Housekeeping resumes.' : 'Housekeeping was not paused.';
    input.print({ confirmedAt: time, wasWaiting: wasWrong }, `It is ${time}. ${result}`);
  },
};
