import { readFileSync } from 'node:fs';
import { accountReads, accountWrites } from './account-cases.ts';
import { feedReads, feedWrites, pageVariants } from './feed-cases.ts';
import type { FlatCase } from './flat-case.ts';
import { sampleReads, sampleWrites, similarVariants } from './sample-cases.ts';
import { taxiiCases } from './taxii-cases.ts';
import { webhookCases } from './webhook-cases.ts';

/** A case for each operation of the API, by its `operationId`. Reads come first. */
export const cases: Readonly<Record<string, FlatCase>> = {
  ...accountReads,
  ...feedReads,
  ...sampleReads,
  ...taxiiCases,
  ...feedWrites,
  ...accountWrites,
  ...sampleWrites,
  ...webhookCases,
};

/** Other forms of calls, by the operation that they call. They are measured and shown after it. */
export const variants: Readonly<Record<string, Readonly<Record<string, FlatCase>>>> = {
  listReports: pageVariants,
  similar: similarVariants.toFile,
  similarToSsdeep: similarVariants.toText,
};

/** Operations that are not measured, each with the reason. */
export const excluded: Readonly<Record<string, string>> = {
  mispHashes: 'It sends the whole feed.',
  mispHashesOfAll: 'It sends all feeds.',
  mispManifestOfAll: 'It lists the events of all feeds, in pages.',
  taxiiDeleteObject: 'Computes the id of the report and then is deleteReport.',
  checkOwnership:
    'Its rate is limited, and it waits for a name server; it writes one row by its key.',
  testMail: 'Its rate is limited; it writes one row, like testWebhook.',
  analyseAgain: 'Its samples must be stored; it writes one row by its key and adds a job.',
  startReanalysis:
    'It would analyse during the measurement; it writes one row, and housekeeping queues.',
};

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { operationId?: string }>>>>;
}

/** The operations of the OpenAPI document, in its order. */
export function readOperations(): readonly Operation[] {
  const file = new URL('../../docs/openapi.json', import.meta.url);
  const { paths } = JSON.parse(readFileSync(file, 'utf8')) as Document;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({
      id: operationId ?? `${method} ${path}`,
      method: method.toUpperCase(),
      path,
    })),
  );
}

/** The operations without a case or a reason for having none. */
export function missingCases(operations: readonly Operation[]): readonly string[] {
  return operations
    .map(({ id }) => id)
    .filter((id) => !Object.hasOwn(cases, id) && !Object.hasOwn(excluded, id));
}
