import { createReadStream, readFileSync } from 'node:fs';
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
import { obeying, operatorOf } from './store-command.ts';

/** Beside `src`, like the migrations, wherever the package was put. */
const FOLDER = new URL('../../demo/', import.meta.url);
const DAY_MS = 86_400_000;

/** `demo/feed.json`: services and accounts as the API takes them. */
interface Founding {
  readonly begunDaysAgo: number;
  readonly samplesImportedDaysAgo: number;
  readonly services: readonly Record<string, unknown>[];
  readonly accounts: readonly { readonly who: string; readonly account: Record<string, unknown> }[];
}

/** A line of `demo/reports.ndjson`: a body as the API takes it, by whom and when. */
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

/** What came of it. The reports are those that still stand. */
export interface DemoWorld {
  readonly services: number;
  readonly accounts: readonly DemoAccount[];
  readonly reports: Map<ReportLine, DemoReport>;
  deletions: number;
  samples: number;
}

/** Lives through the demo's weeks, each step with the clock of its moment, as the service would have. */
export async function playDemo(deps: Dependencies): Promise<DemoWorld> {
  const founding: Founding = JSON.parse(readFileSync(new URL('feed.json', FOLDER), 'utf8'));
  const end = deps.now().getTime();
  const back = (days: number) => ({ ...deps, now: () => new Date(end - days * DAY_MS) });
  const world = await found(back(founding.begunDaysAgo), founding);
  const steps: Step[] = [
    { daysAgo: founding.samplesImportedDaysAgo, run: (then) => importAll(then, world) },
    ...readReports().flatMap((line) => stepsOf(line, world)),
  ];
  steps.sort((one, other) => other.daysAgo - one.daysAgo);
  for (const { daysAgo, run } of steps) await run(back(daysAgo));
  return world;
}

async function found(deps: Dependencies, founding: Founding): Promise<DemoWorld> {
  for (const service of founding.services)
    await addService(deps, operatorOf(deps), obeying(serviceBody, service));
  const accounts: DemoAccount[] = [];
  for (const { who, account: wish } of founding.accounts) {
    const { account, token } = await addAccount(deps, operatorOf(deps), obeying(accountBody, wish));
    accounts.push({ name: account.name, who, token });
  }
  const services = founding.services.length;
  return { services, accounts, reports: new Map(), deletions: 0, samples: 0 };
}

function readReports(): readonly ReportLine[] {
  const lines = readFileSync(new URL('reports.ndjson', FOLDER), 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

function stepsOf(line: ReportLine, world: DemoWorld): readonly Step[] {
  const create: Step = { daysAgo: line.daysAgo, run: (deps) => report(deps, world, line) };
  if (line.deleted === undefined) return [create];
  const { daysAgo, by } = line.deleted;
  return [create, { daysAgo, run: (deps) => withdraw(deps, world, line, by) }];
}

async function importAll(deps: Dependencies, world: DemoWorld): Promise<void> {
  const lines = readAnalysisLines(createReadStream(new URL('samples.ndjson', FOLDER)));
  const tally = await importSamples(deps, operatorOf(deps), lines, {
    refused: ({ line, error }) => {
      throw new Error(`line ${line} of the demo's samples is refused: ${error}`);
    },
  });
  world.samples = tally.added;
}

async function report(deps: Dependencies, world: DemoWorld, line: ReportLine): Promise<void> {
  const service = await serviceOf(deps, line);
  const body = obeying(createBody(service.confidenceScale), line.report);
  const { id } = await createReport(deps, await callerOf(deps, world, line.by), service, {
    tags: body.tags ?? [],
    c2: body.c2Address,
    sha256: body.file256Hash,
    reference: body.referenceLink,
    confidence: body.confidenceScore,
  });
  world.reports.set(line, { id, service: service.slug, sha256: body.file256Hash });
}

async function withdraw(
  deps: Dependencies,
  world: DemoWorld,
  line: ReportLine,
  by: string,
): Promise<void> {
  const { id = '' } = world.reports.get(line) ?? {};
  await deleteReport(deps, await callerOf(deps, world, by), await serviceOf(deps, line), id);
  world.reports.delete(line);
  world.deletions += 1;
}

async function serviceOf(deps: Dependencies, { service }: ReportLine) {
  const found = await deps.store.access.findService(service);
  if (found === undefined) throw new Error(`the demo has no service ${service}`);
  return found;
}

async function callerOf(deps: Dependencies, { accounts }: DemoWorld, name: string) {
  const account = accounts.find((each) => each.name === name);
  const caller = account && (await identifyCaller(deps, account.token));
  if (caller === undefined) throw new Error(`the demo has no account ${name}`);
  return caller;
}
