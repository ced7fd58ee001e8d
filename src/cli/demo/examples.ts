import { DAY_MS, MINUTE_MS } from '../../domain/duration.ts';
import {
  EICAR,
  EXAMPLE_ACCOUNT,
  EXAMPLE_C2,
  EXAMPLE_IDS,
  EXAMPLE_SERVICE,
} from '../../http/openapi/example-objects.ts';
import { issueToken } from '../../operations/accounts/issue-token.ts';
import type { Dependencies } from '../../operations/dependencies.ts';
import { addWebhook } from '../../operations/webhooks/add-webhook.ts';
import { testWebhook } from '../../operations/webhooks/queue-delivery.ts';
import type { Outgoing } from '../../server/start-deliveries.ts';
import { auditContextOf } from '../store-command.ts';
import type { DemoHistory, Step } from './history.ts';

/** Days ago; later reports of the feed follow. */
const REPORTED_DAYS_AGO = 2.5;
const WEBHOOKS_MINUTES_AGO = 3;

/** Creates the objects that the examples of the OpenAPI document name, with their fixed ids. */
export function exampleSteps(history: DemoHistory, outgoing: Outgoing, now: number): Step[] {
  const reported = now - REPORTED_DAYS_AGO * DAY_MS;
  return [
    { at: reported, run: (deps) => createReports(deps, history) },
    { at: reported, run: (deps) => issueTokens(deps, history) },
    {
      at: now - WEBHOOKS_MINUTES_AGO * MINUTE_MS,
      run: (deps) => addWebhooks(deps, history, outgoing),
    },
  ];
}

async function createReports(deps: Dependencies, history: DemoHistory): Promise<void> {
  const { report, deletedReport, purgedReport } = EXAMPLE_IDS;
  for (const [id, tag] of [
    [report, 'asyncrat'],
    [deletedReport, 'to-be-deleted'],
    [purgedReport, 'to-be-purged'],
  ] as const) {
    const body = { c2Address: EXAMPLE_C2, file256Hash: EICAR, tags: [tag] };
    const request = { service: EXAMPLE_SERVICE, by: EXAMPLE_ACCOUNT, body };
    await history.report(withId(deps, id), body, request);
  }
}

async function issueTokens(deps: Dependencies, history: DemoHistory): Promise<void> {
  for (const [name, id] of [
    [EXAMPLE_ACCOUNT, EXAMPLE_IDS.ownToken],
    ['alice', EXAMPLE_IDS.accountToken],
  ] as const) {
    const { accountId } = await history.caller(deps, name);
    const label = 'to be revoked by an example';
    await issueToken(withId(deps, id), auditContextOf(deps), accountId, { label });
  }
}

async function addWebhooks(
  deps: Dependencies,
  history: DemoHistory,
  outgoing: Outgoing,
): Promise<void> {
  const toolsWithId = (id: string) => ({
    ...withId(deps, id),
    ...outgoing,
    wakeDeliveries: () => {},
  });
  const service = await history.service(deps, EXAMPLE_SERVICE);
  const caller = await history.caller(deps, EXAMPLE_ACCOUNT);
  const { webhook, deletedWebhook, delivery } = EXAMPLE_IDS;
  for (const [id, path] of [
    [webhook, 'example'],
    [deletedWebhook, 'to-be-deleted'],
  ] as const)
    await addWebhook(toolsWithId(id), caller, service, {
      url: `https://hooks.ply.example/${path}`,
    });
  await testWebhook(toolsWithId(delivery), caller, service, webhook);
}

/** The next object gets this id. */
function withId(deps: Dependencies, id: string): Dependencies {
  return { ...deps, newId: () => id };
}
