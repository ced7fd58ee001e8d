import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { FaultyProxy, refuse } from '../../sample-files/faulty-proxy.ts';
import { startS3 } from '../../sample-files/s3-server.ts';
import { eventually } from '../../until.ts';
import {
  onOwnPostgres,
  type PostgresTrial,
  type PostgresTrialPlan,
  type PostgresTrialResult,
} from './postgres-trial.ts';

/** The ways in which a bucket is away: it hangs up, refuses, or gives no answer. */
const OUTAGES = {
  'hangs up': (answer: ServerResponse) => {
    answer.destroy();
    return true;
  },
  refuses: (answer: ServerResponse) => refuse(answer, 503, 'SlowDown'),
  'is silent': () => true,
};
const REFUSED_WITHIN_MS = 60_000;
const ACCEPTED_WITHIN_MS = 120_000;

/**
 * Takes the bucket away from two nodes and a worker under load. The worker and a node are killed
 * and restarted meanwhile. Only uploads may be refused, and every accepted sample is analysed.
 */
export async function bucketOutage({
  programs,
  forMs,
}: PostgresTrialPlan): Promise<PostgresTrialResult> {
  const s3 = await startS3();
  const bucket = await s3.bucket();
  const proxy = new FaultyProxy(bucket.endpoint ?? '');
  const clusterSettings = {
    RAPSHEET_SAMPLES_URL: `s3://${bucket.bucket}/${bucket.prefix}`,
    RAPSHEET_S3_ENDPOINT: await proxy.open(),
    RAPSHEET_S3_ACCESS_KEY_ID: bucket.credentials?.accessKeyId ?? '',
    RAPSHEET_S3_SECRET_ACCESS_KEY: bucket.credentials?.secretAccessKey ?? '',
    RAPSHEET_LOG_LEVEL: 'fatal',
  };
  try {
    return await onOwnPostgres({ programs, clusterSettings }, async (trial) => {
      if (!(await acceptsSamples(trial))) trial.broken.push('no sample was accepted at first');
      for (const [name, fail] of Object.entries(OUTAGES)) {
        proxy.fault = (_call, answer) => fail(answer);
        await untilRefused(trial, name);
        await restart(trial);
        await pause(forMs);
      }
      const { create, lookup } = trial.load.results.refusedByKind;
      if (create + lookup > 0) trial.broken.push('calls were refused that need no sample');
      proxy.fault = () => false;
      if (!(await acceptsSamples(trial)))
        trial.broken.push('no sample was accepted after the outage');
      return undefined;
    });
  } finally {
    proxy.close();
    await s3.close();
  }
}

async function untilRefused({ load, broken }: PostgresTrial, name: string): Promise<void> {
  const { refusedByKind } = load.results;
  const before = refusedByKind.upload;
  const refused = await eventually(
    () => refusedByKind.upload,
    (count) => count > before,
    REFUSED_WITHIN_MS,
  );
  if (refused === before) broken.push(`no upload was refused while the bucket ${name}`);
}

/** A process that starts during the outage must neither exit nor wait for its end. */
async function restart({ cluster }: PostgresTrial): Promise<void> {
  for (const member of [cluster.workers[0], cluster.nodes[1]]) {
    await member?.kill();
    await member?.restart();
  }
}

async function acceptsSamples({ load }: PostgresTrial): Promise<boolean> {
  const { samples } = load.results;
  const before = samples.size;
  const size = await eventually(
    () => samples.size,
    (count) => count > before,
    ACCEPTED_WITHIN_MS,
  );
  return size > before;
}
