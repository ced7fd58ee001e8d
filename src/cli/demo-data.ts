import { createReadStream, readFileSync } from 'node:fs';
import { DAY_MS } from '../domain/duration.ts';
import { accountBody, serviceBody } from '../http/requests/admin-fields.ts';
import { readAnalysisLines } from '../http/requests/analysis-lines.ts';
import { createBody } from '../http/requests/report-fields.ts';
import { addAccount } from '../operations/accounts/add-account.ts';
import { addService } from '../operations/accounts/add-service.ts';
import { identifyCaller } from '../operations/accounts/identify-caller.ts';
import type { Dependencies } from '../operations/dependencies.ts';
import { createReport } from '../operations/reports/create-report.ts';
import { deleteReport } from '../operations/reports/delete-report.ts';
import { importSamples } from '../operations/samples/import-samples.ts';
import { auditContextOf, parseInput } from './store-command.ts';

/** Next to `src`, also in the installed package. */
const FOLDER = new URL('../../demo/', import.meta.url);

/** `demo/feed.json`: services and accounts as request bodies of the API. */
interface DemoSetup {
  readonly begunDaysAgo: number;
  readonly samplesImportedDaysAgo: number;
  readonly services: readonly Record<string, unknown>[];
  readonly accounts: readonly { readonly who: string; readonly account: Record<string, unknown> }[];
}

/** A line of `demo/reports.ndjson`: a request body, its author and its age. */
interface ReportLine {
  readonly daysAgo: number;
  readonly service: string;
  readonly by: string;
  readonly report: Record<string, unknown>;
  readonly deleted?: { readonly daysAgo: number; readonly by: string };
}

interface Step {
  readonly daysAgo: number;
  run(deps: Dependencies): Promise<void>;
}

interface DemoReport {
  readonly id: string;
  readonly service: string;
  readonly sha256: string;
}

interface DemoAccount {
  readonly name: string;
  readonly who: string;
  readonly token: string;
}

/** What was created. `reports` has those that were not deleted. */
export interface DemoData {
  readonly services: number;
  readonly accounts: readonly DemoAccount[];
  readonly reports: Map<ReportLine, DemoReport>;
  deletions: number;
  samples: number;
}

/** Creates some weeks of history; the clock of each step is set to the time of the step. */
export async function createDemoData(deps: Dependencies): Promise<DemoData> {
  const setup: DemoSetup = JSON.parse(readFileSync(new URL('feed.json', FOLDER), 'utf8'));
  const end = deps.now().getTime();
  const daysBefore = (days: number) => ({ ...deps, now: () => new Date(end - days * DAY_MS) });
  const data = await setUp(daysBefore(setup.begunDaysAgo), setup);
  const steps: Step[] = [
    { daysAgo: setup.samplesImportedDaysAgo, run: (then) => importAll(then, data) },
    ...readReports().flatMap((line) => stepsOf(line, data)),
  ];
  steps.sort((one, other) => other.daysAgo - one.daysAgo);
  for (const { daysAgo, run } of steps) await run(daysBefore(daysAgo));
  return data;
}

async function setUp(deps: Dependencies, setup: DemoSetup): Promise<DemoData> {
  for (const service of setup.services)
    await addService(deps, auditContextOf(deps), parseInput(serviceBody, service));
  const accounts: DemoAccount[] = [];
  for (const { who, account: body } of setup.accounts) {
    const request = parseInput(accountBody, body);
    const { account, token } = await addAccount(deps, auditContextOf(deps), request);
    accounts.push({ name: account.name, who, token });
  }
  const services = setup.services.length;
  return { services, accounts, reports: new Map(), deletions: 0, samples: 0 };
}

function readReports(): readonly ReportLine[] {
  const lines = readFileSync(new URL('reports.ndjson', FOLDER), 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

function stepsOf(line: ReportLine, data: DemoData): readonly Step[] {
  const create: Step = { daysAgo: line.daysAgo, run: (deps) => addReport(deps, data, line) };
  if (line.deleted === undefined) return [create];
  const { daysAgo, by } = line.deleted;
  return [create, { daysAgo, run: (deps) => remove(deps, data, line, by) }];
}

async function importAll(deps: Dependencies, data: DemoData): Promise<void> {
  const lines = readAnalysisLines(createReadStream(new URL('samples.ndjson', FOLDER)));
  const tally = await importSamples(deps, auditContextOf(deps), lines, {
    refused: ({ line, error }) => {
      throw new Error(`line ${line} of demo/samples.ndjson is refused: ${error}`);
    },
  });
  data.samples = tally.added;
}

async function addReport(deps: Dependencies, data: DemoData, line: ReportLine): Promise<void> {
  const service = await serviceOf(deps, line);
  const body = parseInput(createBody(service.confidenceScale), line.report);
  const { id } = await createReport(deps, await callerOf(deps, data, line.by), service, {
    tags: body.tags ?? [],
    c2: body.c2Address,
    sha256: body.file256Hash,
    reference: body.referenceLink,
    confidence: body.confidenceScore,
  });
  data.reports.set(line, { id, service: service.slug, sha256: body.file256Hash });
}

async function remove(
  deps: Dependencies,
  data: DemoData,
  line: ReportLine,
  by: string,
): Promise<void> {
  const { id = '' } = data.reports.get(line) ?? {};
  await deleteReport(deps, await callerOf(deps, data, by), await serviceOf(deps, line), id);
  data.reports.delete(line);
  data.deletions += 1;
}

async function serviceOf(deps: Dependencies, { service }: ReportLine) {
  const found = await deps.store.access.findService(service);
  if (found === undefined) throw new Error(`the demo has no service ${service}`);
  return found;
}

async function callerOf(deps: Dependencies, { accounts }: DemoData, name: string) {
  const account = accounts.find((each) => each.name === name);
  const caller = account && (await identifyCaller(deps, account.token));
  if (caller === undefined) throw new Error(`the demo has no account ${name}`);
  return caller;
}
