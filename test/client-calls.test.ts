import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { AddressClient } from '../src/client/addresses.ts';
import { AdminClient } from '../src/client/admin.ts';
import { RapsheetClient } from '../src/client/client.ts';
import { FeedClient } from '../src/client/feeds.ts';
import { IntakeClient } from '../src/client/intake.ts';
import { MailClient } from '../src/client/mail.ts';
import { SessionClient } from '../src/client/sessions.ts';
import { WebhookClient } from '../src/client/webhooks.ts';
import { EXPORTERS } from '../src/exports/index.ts';

type Operations = Readonly<
  Record<
    string,
    {
      readonly operationId: string;
      readonly requestBody?: { readonly content: object };
      readonly parameters?: readonly { in: string; name: string; required?: boolean }[];
    }
  >
>;

const document = JSON.parse(
  readFileSync(join(import.meta.dirname, '../docs/openapi.json'), 'utf8'),
) as { readonly paths: Readonly<Record<string, Operations>> };

/** These are for other software, which has clients of its own. */
const FOR_OTHERS = /^\/(?:threatfox|misp|taxii2)(?:\/|$)/;

const operations = Object.entries(document.paths)
  .filter(([path]) => !FOR_OTHERS.test(path))
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  );

const report = { c2Address: 'tunnel.ply.example:4444', file256Hash: 'ab'.repeat(32) };

const xarf = { xarf_version: '4.2.0', source_identifier: 'ply.example', source_port: 4444 };

/** All filters of a list. */
const allFilters = {
  limit: 5,
  cursor: 'cursor',
  order: 'asc',
  created_after: '2026-08-26T10:00:00Z',
  created_before: '2026-08-27T10:00:00Z',
  name: 'LANTERN',
  tag: 'rat',
  host: 'tunnel.ply.example',
  domain: 'ply.example',
  port: 4444,
  c2: 'tunnel.ply.example:4444',
  hash: 'ab'.repeat(32),
  reporter: 'alice',
  min_confidence: 5,
  confirmation: 'confirmed',
  misrouted: true,
  status: 'open',
  count: true,
} as const;

const { limit: _, cursor: __, order: ___, count: ____, ...filter } = allFilters;
const optionNames = EXPORTERS.flatMap(({ options = {} }) => Object.keys(options));
const exported = { filter, options: Object.fromEntries(optionNames.map((name) => [name, 'x'])) };

/** Query parameters for browsers, which cannot set headers on an event stream. */
const QUERY_FOR_BROWSERS = ['last_event_id', 'ticket'];

/** Query parameters that replace another one; a method of its own sends them. */
const QUERY_INSTEAD = ['tlsh'];
const QUERY_LEFT_OUT = [...QUERY_FOR_BROWSERS, ...QUERY_INSTEAD];

/** Methods that combine several operations, or call one for other software. */
const COMPOSED = ['followFeed', 'createFromStix', 'similarToTlsh'];

/** A call of each method, with all of its arguments. */
const calls: Readonly<Record<string, (client: RapsheetClient) => Promise<unknown>>> = {
  createReport: (client) => client.createReport('service', report),
  showMail: (client) => client.showMail('service'),
  listMailDeliveries: (client) =>
    client.listMailDeliveries('service', { state: 'dead', limit: 5, before: 'id' }),
  testMail: (client) => client.testMail('service'),
  replayMail: (client) => client.replayMail('service', 'delivery'),
  createFromXarf: (client) => client.createFromXarf('service', xarf, 'key'),
  createFromMisp: (client) => client.createFromMisp('service', { Event: {} }, 'key'),
  previewReport: (client) => client.previewReport('service', report),
  fetchReport: (client) => client.fetchReport('service', 'id'),
  deleteReport: (client) => client.deleteReport('service', 'id'),
  listReports: (client) => client.listReports('service', allFilters),
  listAllReports: (client) => client.listAllReports(allFilters),
  exportFeed: (client) => client.exportFeed('service', 'format', exported),
  exportAllFeeds: (client) => client.exportAllFeeds('format', exported),
  showReport: (client) => client.showReport('service', 'id'),
  reportHistory: (client) => client.reportHistory('service', 'id'),
  feedStatistics: (client) => client.feedStatistics('service', { days: 7 }),
  allStatistics: (client) => client.allStatistics({ days: 7 }),
  reporterStatistics: (client) => client.reporterStatistics('name'),
  serviceStatistics: (client) => client.serviceStatistics('service', { days: 7 }),
  createReports: (client) => client.createReports('service', '{}\n'),
  setStatus: (client) => client.setStatus('service', 'id', { status: 'open' }),
  setStatuses: (client) => client.setStatuses('service', { ids: ['id'], status: 'open' }),
  feedChanges: (client) => client.feedChanges('service', { since: 5, limit: 9 }),
  allChanges: (client) => client.allChanges({ since: 'position', limit: 9 }),
  feedStream: (client) => client.feedStream('service', { since: 5, lastEventId: '7' }),
  allStream: (client) => client.allStream({ since: 'position', lastEventId: 'other' }),
  streamTicket: (client) => client.streamTicket('service'),
  allStreamTicket: (client) => client.allStreamTicket(),
  lookUp: (client) => client.lookUp('hash'),
  lookUpMany: (client) => client.lookUpMany(['hash']),
  details: (client) => client.details('hash', { report: true }),
  sampleStatus: (client) => client.sampleStatus('hash'),
  downloadSample: (client) => client.downloadSample('hash'),
  similar: (client) => client.similar('hash', { by: 'tlsh' }),
  similarToSsdeep: (client) => client.similarToSsdeep('3::'),
  search: (client) => client.search('evil.example', { limit: 5 }),
  searchList: (client) => client.searchList(['evil.example'], { limit: 5 }),
  upload: (client) => client.upload(new Blob(['MZ']), { fileName: 'evil.exe', wait: 5 }),
  listProposals: (client) =>
    client.listProposals({ limit: 5, cursor: 'x', state: 'open', hash: 'ab'.repeat(32) }),
  reportProposal: (client) => client.reportProposal('id', { tags: ['rat'] }),
  dismissProposal: (client) => client.dismissProposal('id', { reason: 'other' }),
  services: (client) => client.services({ limit: 5, cursor: 'x' }),
  route: (client) => client.route('evil.example:4444'),
  showAddress: (client) => client.showAddress('evil.example:4444'),
  showHost: (client) => client.showHost('evil.example'),
  showRelated: (client) => client.showRelated('evil.example:4444'),
  balance: (client) => client.balance(),
  usage: (client) => client.usage({ day: '2026-11-16', from: 'x', to: 'x', limit: 5, cursor: 'x' }),
  listTokens: (client) => client.listTokens({ limit: 5, cursor: 'x' }),
  issueToken: (client) => client.issueToken({ label: 'ci' }),
  revokeToken: (client) => client.revokeToken('id', { issued: true }),
  me: (client) => client.me(),
  session: (client) => client.session(),
  signIn: (client) => client.signIn({ link: 'ral_secret' }),
  signOut: (client) => client.signOut(),
  endSessions: (client) => client.endSessions({ issued: true }),
  createAccountLink: (client) => client.createAccountLink('id', { purpose: 'invitation' }),
  endAccountSessions: (client) => client.endAccountSessions('id', { issued: true }),
  addService: (client) => client.addService({ slug: 'ply' }),
  listServices: (client) => client.listServices(),
  listOverlaps: (client) => client.listOverlaps({ limit: 5, cursor: 'x' }),
  changeService: (client) => client.changeService('slug', { name: 'Ply' }),
  addAccount: (client) => client.addAccount({ name: 'alice' }),
  listAccounts: (client) => client.listAccounts({ limit: 5, cursor: 'cursor' }),
  showAccount: (client) => client.showAccount('id'),
  changeAccount: (client) => client.changeAccount('id', { topUp: 5 }),
  showAccountUsage: (client) =>
    client.showAccountUsage('id', { day: '2026-11-16', from: 'x', to: 'x', limit: 5, cursor: 'x' }),
  listAccountTokens: (client) => client.listAccountTokens('id', { limit: 5, cursor: 'x' }),
  issueAccountToken: (client) => client.issueAccountToken('id', { label: 'ci' }),
  revokeAccountToken: (client) => client.revokeAccountToken('id', { issued: true }),
  importSamples: (client) => client.importSamples('{}\n'),
  showQueue: (client) => client.showQueue(),
  listFailedSamples: (client) => client.listFailedSamples({ limit: 5, cursor: 'cursor' }),
  analyseAgain: (client) => client.analyseAgain('sha256'),
  showReanalysis: (client) => client.showReanalysis(),
  startReanalysis: (client) => client.startReanalysis({ before: '2026-11-16T10:00:00Z' }),
  stopReanalysis: (client) => client.stopReanalysis(),
  showWorkers: (client) => client.showWorkers(),
  listSettings: (client) => client.listSettings(),
  purgeReport: (client) => client.purgeReport('id', 'why'),
  purgeSample: (client) => client.purgeSample('sha256', 'why'),
  audit: (client) => client.audit({ limit: 5, before: 9, actor: 'a', action: 'b', subject: 'c' }),
  showOwnership: (client) => client.showOwnership('service'),
  checkOwnership: (client) =>
    client.checkOwnership('service', { pattern: '*.ply.example', method: 'dns' }),
  addWebhook: (client) => client.addWebhook('service', { url: 'https://desk.example.invalid/' }),
  listWebhooks: (client) => client.listWebhooks('service'),
  listAllWebhooks: (client) =>
    client.listAllWebhooks({ service: 'ply', account: 'alice', limit: 5, after: 'id' }),
  changeWebhook: (client) => client.changeWebhook('id', { disabled: true, owner: 'alice' }),
  showWebhook: (client) => client.showWebhook('service', 'id'),
  deleteWebhook: (client) => client.deleteWebhook('service', 'id'),
  rotateWebhook: (client) => client.rotateWebhook('service', 'id'),
  enableWebhook: (client) => client.enableWebhook('service', 'id'),
  testWebhook: (client) => client.testWebhook('service', 'id'),
  listDeliveries: (client) =>
    client.listDeliveries('service', 'id', { state: 'dead', limit: 5, before: 'delivery' }),
  replayDelivery: (client) => client.replayDelivery('service', 'id', 'delivery'),
  livez: (client) => client.livez(),
  readyz: (client) => client.readyz(),
  healthz: (client) => client.healthz(),
};

/** Returns the request that the call sends. */
async function record(call: (client: RapsheetClient) => Promise<unknown>): Promise<Request> {
  const requests: Request[] = [];
  const client = new RapsheetClient({
    url: 'http://rapsheet.example',
    token: 'rap_token',
    fetch: async (input, init) => {
      requests.push(new Request(input, init));
      return Response.json({});
    },
  });
  await call(client);
  assert.equal(requests.length, 1);
  return requests[0] as Request;
}

describe('the client and the OpenAPI document', () => {
  it('have the same operations with the same names', () => {
    const classes = [
      RapsheetClient,
      SessionClient,
      AddressClient,
      AdminClient,
      WebhookClient,
      MailClient,
      FeedClient,
      IntakeClient,
    ];
    const methods = classes
      .flatMap(({ prototype }) => Object.getOwnPropertyNames(prototype))
      .filter((name) => name !== 'constructor' && !COMPOSED.includes(name));
    const ids = operations.map(({ operationId }) => operationId);
    assert.deepEqual(methods.sort(), ids.sort());
    assert.deepEqual(Object.keys(calls).sort(), ids.sort());
  });

  for (const { operationId, method, path, requestBody, parameters = [] } of operations) {
    it(`agree on how ${operationId} is called`, async () => {
      const request = await record(calls[operationId] as (typeof calls)[string]);
      const url = new URL(request.url);
      assert.equal(request.method, method.toUpperCase());
      // Each argument above is the name of its path parameter.
      assert.equal(url.pathname, path.replace(/[{}]/g, ''));
      const inQuery = parameters.filter(
        (parameter) => parameter.in === 'query' && !QUERY_LEFT_OUT.includes(parameter.name),
      );
      assert.deepEqual(
        [...url.searchParams.keys()],
        inQuery.map(({ name }) => name),
      );
      const type = request.headers.get('content-type')?.replace(/;.*/, '') ?? null;
      assert.equal(type, Object.keys(requestBody?.content ?? {})[0] ?? null);
      for (const parameter of parameters.filter((one) => one.in === 'header'))
        assert.ok(request.headers.get(parameter.name));
      assert.equal(request.headers.get('authorization'), 'Bearer rap_token');
    });
  }
});
