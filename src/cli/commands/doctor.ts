import { type Config, readConfig } from '../../config.ts';
import { HOUR_MS } from '../../domain/duration.ts';
import { explainFault, readFault } from '../../operations/check-clock.ts';
import { type CheckResult, examineStore } from '../../operations/examine-store.ts';
import { findRepairs, repairStore } from '../../operations/repair-store.ts';
import { recountStatistics } from '../../operations/trust/recount.ts';
import { findUnreadable } from '../../operations/webhooks/check-secrets.ts';
import { loadDirectory } from '../../server/load-directory.ts';
import { type OpenDependencies, openDependencies } from '../../server/open-dependencies.ts';
import { explainUnreadable, readSealer } from '../../server/secret-keys.ts';
import { systemTimer } from '../../server/system-timer.ts';
import { checkIsolation } from '../check-isolation.ts';
import { type Command, CommandError, type CommandInput } from '../command.ts';
import { ProgressBar } from '../output/progress-bar.ts';
import { visible } from '../output/show.ts';
import { alarming } from '../output/style.ts';
import { requireStore } from '../store-command.ts';

/** The bar shows progress in this many steps, not in bytes. */
const BAR_STEPS = 10_000;
/** A check may read a whole table. */
const STATEMENT_MS = HOUR_MS;

export const doctor: Command = {
  usage: '[--quick] [--recount] [--repair]',
  options: {
    quick: { type: 'boolean', description: 'Only check that sample files exist, not their bytes' },
    recount: { type: 'boolean', description: 'First write the statistics anew' },
    repair: {
      type: 'boolean',
      description: 'First repair what nodes of an older version left beside newer ones',
    },
  },
  examples: [
    { command: 'rapsheet doctor', description: 'Check everything' },
    { command: 'rapsheet doctor --quick', description: 'Check without reading the samples' },
  ],
  async run(input) {
    const results = await examine(input);
    const wrong = results.filter((result) => result.wrong.length > 0);
    if (input.json) input.print({ ok: wrong.length === 0, checks: results }, '');
    if (wrong.length > 0)
      throw new CommandError(`${wrong.length} of ${results.length} checks failed`);
  },
};

async function examine(input: CommandInput): Promise<readonly CheckResult[]> {
  const config = readConfig();
  await requireStore(config);
  const deps = await openDependencies(config, undefined, { statementMs: STATEMENT_MS });
  const bar = new ProgressBar(process.stderr, BAR_STEPS, { unit: 'rows and files' });
  const found: CheckResult[] = [];
  try {
    if (input.options['repair'] === true) await repair(input, deps, bar);
    if (input.options['recount'] === true) await recount(input, deps, bar);
    const checks = examineStore(deps, {
      quick: input.options['quick'] === true,
      progress: ({ share, examined }) => bar.show(share * BAR_STEPS, examined),
    });
    for await (const result of checks) {
      bar.clear();
      found.push(result);
      printResult(input, result);
    }
    for (const check of [checkClock, checkMail, checkSecrets, checkDirectory, checkIsolation]) {
      const result = await check(deps, config);
      found.push(result);
      printResult(input, result);
    }
    await suggestRepair(input, deps, found);
    return found;
  } finally {
    await deps.store.close();
  }
}

/** Writes the statistics again before they are checked. A server may run. */
async function recount(
  { printMessage }: CommandInput,
  deps: OpenDependencies,
  bar: ProgressBar,
): Promise<void> {
  const counted = await recountStatistics(deps, (step) =>
    bar.show(step.share * BAR_STEPS, step.counted),
  );
  bar.clear();
  printMessage(`Counted ${counted} reports again.`);
}

/** Publishes and counts again. A server may run. */
async function repair(
  { printMessage }: CommandInput,
  deps: OpenDependencies,
  bar: ProgressBar,
): Promise<void> {
  const { published, counted } = await repairStore(deps, (examined) => bar.show(0, examined));
  bar.clear();
  printMessage(
    published === 0
      ? 'The order of publication needed no repair.'
      : `Published ${published} reports again that an older node had written or changed.`,
  );
  printMessage(
    counted === undefined
      ? 'The statistics needed no repair.'
      : `Counted ${counted} reports again for the statistics.`,
  );
}

/** What `--repair` would change. */
async function suggestRepair(
  { printMessage }: CommandInput,
  deps: OpenDependencies,
  results: readonly CheckResult[],
): Promise<void> {
  const failed = results.filter(({ wrong }) => wrong.length > 0);
  const { published, recounts } = await findRepairs(deps, failed);
  const parts = [
    ...(published > 0 ? [`publish ${published} reports again`] : []),
    ...(recounts ? ['count all reports again'] : []),
  ];
  if (parts.length > 0) printMessage(`\`rapsheet doctor --repair\` would ${parts.join(' and ')}.`);
}

async function checkMail({ store, sendsMail }: OpenDependencies): Promise<CheckResult> {
  const services = sendsMail ? [] : await store.mail.list();
  const wrong = services.map(
    ({ service }) => `${service} gets no mail: RAPSHEET_SMTP_URL is not set`,
  );
  return { name: 'mail', wrong, hasMore: false };
}

/** Reads the key, and creates none. */
async function checkSecrets(deps: OpenDependencies, config: Config): Promise<CheckResult> {
  const unreadable = await findUnreadable(deps, await readSealer(config));
  const wrong = explainUnreadable(config, unreadable);
  return { name: 'secret key', wrong, hasMore: unreadable.hasMore };
}

async function checkDirectory(_: OpenDependencies, config: Config): Promise<CheckResult> {
  const { problems } = loadDirectory(config);
  return { name: 'directory', wrong: problems, hasMore: false };
}

async function checkClock(deps: OpenDependencies): Promise<CheckResult> {
  const fault = await readFault({ ...deps, timer: systemTimer() });
  const wrong = fault === undefined ? [] : [`housekeeping is paused: ${explainFault(fault)}`];
  return { name: 'clock', wrong, hasMore: false };
}

/**
 * Prints each result at once, because the next check may take long. `--json` prints all at the end.
 */
function printResult(
  { json, print }: CommandInput,
  { name, detail, wrong, hasMore }: CheckResult & { readonly detail?: string },
): void {
  if (json) return;
  const lines = [
    `${wrong.length === 0 ? 'ok   ' : alarming('WRONG')}  ${name}${detail === undefined ? '' : ` (${detail})`}`,
    // The texts may contain values of reports and files.
    ...wrong.map((one) => `         ${visible(one)}`),
    ...(hasMore ? ['         … and more'] : []),
  ];
  print({}, lines.join('\n'));
}
