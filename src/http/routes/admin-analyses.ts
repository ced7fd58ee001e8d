import { hostname } from 'node:os';
import { analyseAgain } from '../../operations/samples/analyse-again.ts';
import { listFailedSamples } from '../../operations/samples/list-failed-samples.ts';
import {
  showReanalysis,
  startReanalysis,
  stopReanalysis,
} from '../../operations/samples/reanalyse.ts';
import { showQueue } from '../../operations/samples/show-queue.ts';
import type { HttpDependencies } from '../dependencies.ts';
import type { App } from '../fastify-types.ts';
import { reanalysisBody } from '../requests/admin-fields.ts';
import { cursorQuery, DEFAULT_PAGE_SIZE } from '../requests/feed-query.ts';
import { sha256Params } from '../requests/parameters.ts';
import {
  failedPage,
  queueShown,
  reanalysisShown,
  settingsShown,
  workersShown,
} from '../responses/operation-schemas.ts';
import {
  presentFailedSamples,
  presentQueue,
  presentReanalysis,
  presentSetting,
  presentWorkers,
} from '../responses/present-operation.ts';
import { done, refusals } from '../responses/schemas.ts';

const tags = ['Administration'];

/** The queue of analyses, its failures, the workers and the settings of the running service. */
export function adminAnalysisRoutes(app: App, deps: HttpDependencies): void {
  queueRoutes(app, deps);
  reanalysisRoutes(app, deps);
  app.route({
    method: 'GET',
    url: '/admin/workers',
    config: { access: 'admin' },
    schema: {
      summary: 'Show the analysis workers of this node and their isolation',
      description: 'In a cluster each node has its own workers; `node` names the one that answers.',
      operationId: 'showWorkers',
      tags,
      response: { 200: workersShown, ...refusals(401, 403, 429) },
    },
    handler: async () => presentWorkers(hostname(), await deps.workers()),
  });

  app.route({
    method: 'GET',
    url: '/admin/settings',
    config: { access: 'admin' },
    schema: {
      summary: 'List the settings in force',
      description: 'Of the node that answers. Secrets are not shown, only whether they are set.',
      operationId: 'listSettings',
      tags,
      response: { 200: settingsShown, ...refusals(401, 403, 429) },
    },
    handler: async () => ({ settings: deps.settings.map(presentSetting) }),
  });
}

function queueRoutes(app: App, deps: HttpDependencies): void {
  app.route({
    method: 'GET',
    url: '/admin/queue',
    config: { access: 'admin' },
    schema: {
      summary: 'Count the samples that wait for an analysis, are analysed or have failed',
      operationId: 'showQueue',
      tags,
      response: { 200: queueShown, ...refusals(401, 403, 429) },
    },
    handler: async () => presentQueue(await showQueue(deps)),
  });

  app.route({
    method: 'GET',
    url: '/admin/samples/failed',
    config: { access: 'admin' },
    schema: {
      summary: 'List the samples whose analysis failed, newest failure first',
      operationId: 'listFailedSamples',
      tags,
      querystring: cursorQuery,
      response: { 200: failedPage, ...refusals(400, 401, 403, 429) },
    },
    handler: async ({ query: { cursor, limit = DEFAULT_PAGE_SIZE } }) =>
      presentFailedSamples(await listFailedSamples(deps, { cursor, limit })),
  });

  app.route({
    method: 'POST',
    url: '/admin/samples/:sha256/analyse',
    config: { access: 'admin' },
    schema: {
      summary: 'Analyse a stored sample again',
      description:
        'Its report is served until the new one replaces it. If the analysis fails, the report stays, and the sample is in the list of failed ones.',
      operationId: 'analyseAgain',
      tags,
      params: sha256Params,
      response: { 200: done, ...refusals(400, 401, 403, 404, 409, 413, 415, 429) },
    },
    async handler({ caller, params: { sha256 } }) {
      await analyseAgain(deps, { actor: caller.name, at: deps.now() }, sha256);
      return { message: `${sha256} is queued for analysis.`, successful: true as const };
    },
  });
}

function reanalysisRoutes(app: App, deps: HttpDependencies): void {
  const url = '/admin/reanalysis';
  app.route({
    method: 'GET',
    url,
    config: { access: 'admin' },
    schema: {
      summary: 'Show the run that analyses stored files again',
      operationId: 'showReanalysis',
      tags,
      response: { 200: reanalysisShown, ...refusals(401, 403, 429) },
    },
    handler: async () => presentReanalysis(await showReanalysis(deps)),
  });

  app.route({
    method: 'POST',
    url,
    config: { access: 'admin' },
    schema: {
      summary: 'Analyse all stored files again',
      description:
        'Of files that were analysed here, oldest analysis first, behind all uploads. Imported reports stay, and so do failed uploads.',
      operationId: 'startReanalysis',
      tags,
      body: reanalysisBody,
      response: { 200: reanalysisShown, ...refusals(400, 401, 403, 409, 413, 415, 429) },
    },
    handler: async ({ caller, body }) => {
      const audit = { actor: caller.name, at: deps.now() };
      return presentReanalysis(await startReanalysis(deps, audit, body?.before));
    },
  });

  app.route({
    method: 'DELETE',
    url,
    config: { access: 'admin' },
    schema: {
      summary: 'Stop analysing stored files again',
      description: 'Files that are queued already, at most 200, are analysed.',
      operationId: 'stopReanalysis',
      tags,
      response: { 200: reanalysisShown, ...refusals(401, 403, 429) },
    },
    handler: async ({ caller }) => {
      const audit = { actor: caller.name, at: deps.now() };
      return presentReanalysis(await stopReanalysis(deps, audit));
    },
  });
}
