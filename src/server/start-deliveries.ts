import type { Config } from '../config.ts';
import { xarfIdOf, xarfOf } from '../exports/xarf/xarf-object.ts';
import { serializeExtended } from '../http/responses/serialize-report.ts';
import { MailRunner } from '../jobs/deliver-mail.ts';
import { DeliveryRunner } from '../jobs/deliver-webhooks.ts';
import type { WorkWatch } from '../jobs/work-watch.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Dependencies } from '../operations/dependencies.ts';
import type { XarfWriter } from '../operations/mail/compose-mail.ts';
import { Dns } from '../outgoing/dns.ts';
import { GuardedHttp } from '../outgoing/guarded-http.ts';
import { NetworkProver } from '../outgoing/ownership-prover.ts';
import type { OutgoingHttp, OwnershipProver, Sealer } from '../ports/outgoing.ts';
import type { OutgoingMail } from '../ports/outgoing-mail.ts';
import type { TrustedTime } from './housekeeping-task.ts';
import { openSealer } from './secret-keys.ts';

/** The clients for outgoing HTTP and mail, and the encryption of the secrets that sign it. */
export interface Outgoing {
  readonly outgoing: OutgoingHttp;
  readonly prover: OwnershipProver;
  readonly sealer: Sealer;
  /** `undefined`: no mail server is configured. */
  readonly outgoingMail: OutgoingMail | undefined;
}

export async function openOutgoing(config: Config): Promise<Outgoing> {
  const { webhookAllowHttp: allowHttp, webhookAllowNetworks: allowedNetworks } = config;
  const dns = new Dns({ server: config.dnsResolver });
  const outgoing = new GuardedHttp({
    allowHttp,
    allowedNetworks,
    resolve: (name) => dns.addressesOf(name),
  });
  return {
    outgoing,
    prover: new NetworkProver({ dns, http: outgoing, allowHttp, port: config.wellKnownPort }),
    sealer: await openSealer(config),
    outgoingMail: config.mail && (await openMail(config.mail)),
  };
}

/** Its modules are loaded only if they are used: most installations send no mail. */
async function openMail({ server, from }: NonNullable<Config['mail']>): Promise<OutgoingMail> {
  const { SmtpMail } = await import('../outgoing/mail/smtp-mail.ts');
  return new SmtpMail(server, from);
}

interface DeliveryOptions {
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'deliveries' | 'mails'>;
  readonly trustedTime: TrustedTime;
  readonly watch: Pick<WorkWatch, 'on'>;
}

/** Sends webhooks when a delivery is due. The caller must stop the returned runner. */
export function startDeliveries(
  deps: Pick<Dependencies, 'store' | 'now' | 'knownLists'> & Outgoing,
  baseUrl: () => string,
  { log, metrics, trustedTime, watch }: DeliveryOptions,
): DeliveryRunner {
  const runner = new DeliveryRunner({
    ...deps,
    serializers: { extended: (report) => serializeExtended(report, { lists: deps.knownLists() }) },
    log,
    baseUrl,
    trustedTime,
    random: Math.random,
    settled: (outcome) => metrics.deliveries[outcome].inc(),
  });
  deps.store.webhooks.onQueued(() => runner.wake());
  watch.on('webhooks', () => runner.wake());
  return runner;
}

const xarf: XarfWriter = {
  id: (report) => xarfIdOf(report.id),
  text: (report, confidenceScale, contact) =>
    JSON.stringify(
      xarfOf(
        { ...report, reportedAt: report.reportedAt.toISOString() },
        { confidenceScale, contact },
      ),
    ),
};

/** Sends mails when they are due, if there is a mail server. The caller must stop the runner. */
export function startMail(
  { outgoingMail, ...deps }: Pick<Dependencies, 'store' | 'now'> & Pick<Outgoing, 'outgoingMail'>,
  baseUrl: () => string,
  { log, metrics, watch }: Omit<DeliveryOptions, 'trustedTime'>,
): MailRunner | undefined {
  if (outgoingMail === undefined) return undefined;
  const runner = new MailRunner({
    ...deps,
    outgoingMail,
    xarf,
    log,
    baseUrl,
    random: Math.random,
    settled: (outcome) => metrics.mails[outcome].inc(),
  });
  deps.store.webhooks.onQueued(() => runner.wake());
  watch.on('mails', () => runner.wake());
  return runner;
}
