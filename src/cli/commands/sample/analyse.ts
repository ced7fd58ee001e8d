import { reanalysisBody } from '../../../http/requests/admin-fields.ts';
import { sha256Params } from '../../../http/requests/parameters.ts';
import { presentReanalysis } from '../../../http/responses/present-operation.ts';
import { analyseAgain } from '../../../operations/samples/analyse-again.ts';
import {
  showReanalysis,
  startReanalysis,
  stopReanalysis,
} from '../../../operations/samples/reanalyse.ts';
import type { OpenDependencies } from '../../../server/open-dependencies.ts';
import { type Command, CommandError, type CommandInput, EXIT } from '../../command.ts';
import { auditContextOf, onStore, parseInput } from '../../store-command.ts';

export const sampleAnalyse: Command = {
  usage: '<sha256>|--all [--before <time>]|--status|--stop',
  arguments: { '<sha256>': 'The SHA-256 of the file' },
  options: {
    all: {
      type: 'boolean',
      description: 'All files that were analysed here, behind all uploads',
    },
    before: {
      type: 'string',
      value: '<time>',
      description: 'With --all: only files last analysed before that, 2026-11-16T10:00:00Z',
    },
    status: { type: 'boolean', description: 'Show how many files --all has left' },
    stop: { type: 'boolean', description: 'Queue no more files for --all' },
  },
  examples: [
    {
      command:
        'rapsheet sample analyse 96c087811fb08586879959b8e7731ba44e69fbd527edefcb3b1d0843761f3596',
      description: 'Analyse a file again',
    },
    {
      command: 'rapsheet sample analyse --all --before 2026-11-16T10:00:00Z',
      description: 'Analyse all files again that were last analysed before an upgrade',
    },
    { command: 'rapsheet sample analyse --status', description: 'Show how many files are left' },
  ],
  positionals: [0, 1],
  async run(input) {
    const { all, before, status, stop } = input.options;
    const [sha256] = input.positionals;
    if ([sha256, all, status, stop].filter((one) => one !== undefined).length !== 1)
      throw new CommandError('give either a SHA-256, --all, --status or --stop', EXIT.usage);
    if (before !== undefined && all === undefined)
      throw new CommandError('--before needs --all', EXIT.usage);
    if (sha256 !== undefined) return analyseOne(input, sha256);
    const body = parseInput(reanalysisBody, { before }, { before: '--before' });
    await showRun(input, (deps) => {
      if (all !== undefined) return startReanalysis(deps, auditContextOf(deps), body?.before);
      if (stop !== undefined) return stopReanalysis(deps, auditContextOf(deps));
      return showReanalysis(deps);
    });
  },
};

async function analyseOne(input: CommandInput, text: string): Promise<void> {
  const { sha256 } = parseInput(sha256Params, { sha256: text }, { sha256: '<sha256>' });
  await onStore(input, (deps) => analyseAgain(deps, auditContextOf(deps), sha256));
  const message = `${sha256} is queued for analysis.`;
  input.print({ message, successful: true }, message);
}

type Progress = Awaited<ReturnType<typeof stopReanalysis>>;

async function showRun(
  input: CommandInput,
  work: (deps: OpenDependencies) => Promise<Progress>,
): Promise<void> {
  const shown = presentReanalysis(await onStore(input, work));
  input.print(shown, textOf(shown));
}

function textOf(run: ReturnType<typeof presentReanalysis>): string {
  const waiting = `${run.waiting} files wait for their analysis`;
  if (run.state === null) return `No run was started yet; ${waiting}.`;
  const counts = `${run.queued} files queued, ${run.remaining} left; ${waiting}`;
  const head = `Files last analysed before ${run.before}: ${run.state}`;
  const resume = `To continue: rapsheet sample analyse --all --before ${run.before}`;
  return [`${head}; ${counts}.`, ...(run.state === 'stopped' ? [resume] : [])].join('\n');
}
