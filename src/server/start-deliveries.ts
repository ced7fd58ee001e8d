import { join } from 'node:path';
import type { Config } from '../config.ts';
import { serializeExtended } from '../http/responses/serialize-report.ts';
import { DeliveryRunner } from '../jobs/deliver-webhooks.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Dependencies } from '../operations/dependencies.ts';
import { GuardedHttp } from '../outgoing/guarded-http.ts';
import { createSealer } from '../outgoing/sealed-secrets.ts';
import { openSecretKey } from '../outgoing/secret-key-file.ts';
import type { OutgoingHttp, Sealer } from '../ports/outgoing.ts';
import type { TrustedTime } from './housekeeping-task.ts';

/** The client for outgoing HTTP and the encryption of the secrets that sign it. */
export interface Outgoing {
  readonly outgoing: OutgoingHttp;
  readonly sealer: Sealer;
}

export async function openOutgoing(config: Config): Promise<Outgoing> {
  const key = config.secretKey ?? (await openSecretKey(join(config.dataDir, 'secret-key')));
  return {
    outgoing: new GuardedHttp({
      allowHttp: config.webhookAllowHttp,
      allowedNetworks: config.webhookAllowNetworks,
    }),
    sealer: createSealer(key),
  };
}

interface DeliveryOptions {
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'deliveries'>;
  readonly trustedTime: TrustedTime;
}

/** Sends webhooks when a delivery is due. The caller must stop the returned runner. */
export function startDeliveries(
  deps: Pick<Dependencies, 'store' | 'now'> & Outgoing,
  baseUrl: () => string,
  { log, metrics, trustedTime }: DeliveryOptions,
): DeliveryRunner {
  const runner = new DeliveryRunner({
    ...deps,
    serializers: { extended: (report) => serializeExtended(report) },
    log,
    baseUrl,
    trustedTime,
    random: Math.random,
    settled: (outcome) => metrics.deliveries[outcome].inc(),
  });
  deps.store.webhooks.onQueued(() => runner.wake());
  return runner;
}
