import { readFileSync } from 'node:fs';
import type { Config } from '../../config.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/duration.ts';
import type { Dependencies } from '../../operations/dependencies.ts';
import { deleteReport } from '../../operations/reports/delete-report.ts';
import { setStatuses } from '../../operations/reports/set-status.ts';
import { openAnalyser } from '../../server/open-analyser.ts';
import type { OpenDependencies } from '../../server/open-dependencies.ts';
import { openOutgoing } from '../../server/start-deliveries.ts';
import { importLines, importSteps } from './analyses.ts';
import { type PlannedReport, planCampaigns } from './campaigns.ts';
import { exampleSteps } from './examples.ts';
import { DemoHistory, type DemoSetup, type Step } from './history.ts';
import { type PlannedOutcome, planOutcomes } from './outcomes.ts';
import { dismissalSteps } from './proposals.ts';
import { SeededRandom } from './random.ts';
import { deskOf } from './services.ts';
import { readUploads, uploadSteps } from './uploads.ts';
import { usageSteps } from './usage.ts';
import { DemoWebhooks } from './webhooks.ts';

/** Next to `src`, in the installed package too. */
const FOLDER = new URL('../../../demo/', import.meta.url);
const SEED = 20_261;
/** Rows of a call; the demo has far fewer. */
const SLICE = 500;

/** A line of `demo/reports.ndjson`: a request body, its author and its age. */
interface ReportLine {
  readonly daysAgo: number;
  readonly service: string;
  readonly by: string;
  readonly report: Record<string, unknown>;
  readonly deleted?: { readonly daysAgo: number; readonly by: string };
}

export type ShowProgress = (done: number, total: number) => void;

/** Creates some weeks of history; the clock of each step is set to the time of the step. */
export async function createDemoData(
  config: Config,
  deps: OpenDependencies,
  progress: ShowProgress,
): Promise<DemoHistory> {
  const setup: DemoSetup = JSON.parse(readText('feed.json'));
  const now = deps.now().getTime();
  const at = (time: number): Dependencies => ({ ...deps, now: () => new Date(time) });
  const history = new DemoHistory();
  await history.setUp(at(now - setup.begunDaysAgo * DAY_MS), setup);
  const analyser = await openAnalyser(config, { workers: 1, startedAtOnce: 1 });
  try {
    const random = new SeededRandom(SEED);
    const outgoing = await openOutgoing(config);
    const webhooks = new DemoWebhooks(history, outgoing, random, now);
    const uploads = readUploads(FOLDER);
    const exampleUploads = readUploads(FOLDER, 'example-uploads.ndjson');
    const plan = planCampaigns(random, uploads, now);
    const steps = [
      ...writtenSteps(history, setup, now),
      ...uploadSteps([...uploads, ...exampleUploads], {
        history,
        analyser,
        queue: deps.queue,
        now,
      }),
      ...dismissalSteps(random, uploads, { history, now }),
      ...importSteps(plan.samples, history),
      ...plan.reports.map((report) => reportStep(history, report)),
      ...planOutcomes(random, plan.reports, now).map((one) => outcomeStep(history, one)),
      ...usageSteps(random, history, { hashes: plan.samples.map(({ sha256 }) => sha256), now }),
      ...webhooks.steps(),
      ...exampleSteps(history, outgoing, now),
    ].sort((one, other) => one.at - other.at);
    const elapsed = new ElapsedTime();
    for (const [done, step] of steps.entries()) {
      if (elapsed.reached('expiry', step.at, HOUR_MS * 6))
        await deps.store.feeds.expire(new Date(step.at), SLICE);
      await step.run(at(step.at));
      if (elapsed.reached('delivery', step.at, MINUTE_MS * 20)) await webhooks.deliver(at(step.at));
      progress(done + 1, steps.length);
    }
    await webhooks.deliver(deps);
  } finally {
    await analyser.close();
  }
  await finish(deps);
  return history;
}

/** Background work runs at intervals of the invented time: after every step it would take long. */
class ElapsedTime {
  readonly #last = new Map<string, number>();

  reached(work: string, now: number, intervalMs: number): boolean {
    if (now - (this.#last.get(work) ?? 0) < intervalMs) return false;
    this.#last.set(work, now);
    return true;
  }
}

/** Does what housekeeping would do within the first minutes. */
async function finish({ store, now }: Dependencies): Promise<void> {
  while ((await store.feeds.reevaluatePending(now(), SLICE)) > 0);
  while ((await store.feeds.reevaluateOld(now(), SLICE)) > 0);
  while ((await store.samples.indexSimilar(SLICE)) > 0);
}

function readText(name: string): string {
  return readFileSync(new URL(name, FOLDER), 'utf8');
}

/** The analyses and reports that are written out in the folder. */
function writtenSteps(history: DemoHistory, setup: DemoSetup, now: number): Step[] {
  const before = (days: number) => now - days * DAY_MS;
  const samples = readText('samples.ndjson').trimEnd().split('\n');
  const lines: ReportLine[] = readText('reports.ndjson')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  return [
    {
      at: before(setup.samplesImportedDaysAgo),
      run: (deps) => importLines(deps, history, samples),
    },
    ...lines.flatMap((line) => {
      const { service, by, report: body, deleted } = line;
      const create: Step = {
        at: before(line.daysAgo),
        run: (deps) => history.report(deps, line, { service, by, body }),
      };
      if (deleted === undefined) return [create];
      const run = (deps: Dependencies) => remove(deps, history, line, deleted.by);
      return [create, { at: before(deleted.daysAgo), run }];
    }),
  ];
}

async function remove(
  deps: Dependencies,
  history: DemoHistory,
  line: ReportLine,
  by: string,
): Promise<void> {
  const { id = '' } = history.reports.get(line) ?? {};
  const service = await history.service(deps, line.service);
  await deleteReport(deps, await history.caller(deps, by), service, id);
  history.reports.delete(line);
  history.counts.deletions += 1;
}

function reportStep(history: DemoHistory, report: PlannedReport): Step {
  return { at: report.at, run: (deps) => history.report(deps, report, report) };
}

function outcomeStep(history: DemoHistory, { at, service, reports, change }: PlannedOutcome): Step {
  return {
    at,
    run: async (deps) => {
      const caller = await history.caller(deps, deskOf(service).account);
      const ids = reports.flatMap((report) => history.reports.get(report)?.id ?? []);
      const desk = { caller, service: await history.service(deps, service) };
      const { changed } = await setStatuses(deps, desk, ids, change);
      history.counts.outcomes += changed;
    },
  };
}
