import type { ParseArgsOptionsConfig } from 'node:util';
import type { Service } from '../../domain/reports/service.ts';
import { presentMailSettings } from '../../http/responses/deliveries/present-mail.ts';
import { presentService } from '../../http/responses/present.ts';
import type { Dependencies } from '../../operations/dependencies.ts';
import { mailOfService } from '../../operations/mail/show-mail.ts';
import { withVerifiedHostsOf } from '../../operations/ownership/verified-hosts.ts';
import type { CommandInput } from '../command.ts';
import { type Columns, tableOf } from '../output/list.ts';
import { asNumber, omitUndefined } from '../store-command.ts';

export const serviceOptions = {
  name: { type: 'string' },
  scale: { type: 'string' },
  host: { type: 'string', multiple: true },
  network: { type: 'string', multiple: true },
  'expire-after': { type: 'string' },
  'mail-to': { type: 'string' },
  'mail-format': { type: 'string' },
  'mail-delivery': { type: 'string' },
} as const satisfies ParseArgsOptionsConfig;

/** The options as members of the request body of the API. */
export function serviceMembers(options: CommandInput['options']): Record<string, unknown> {
  return {
    name: options['name'],
    confidenceScale: asNumber(options['scale']),
    hosts: options['host'],
    networks: options['network'],
    expireAfterDays: asNumber(options['expire-after']),
    mail: mailMember(options),
  };
}

/** The address is needed with the other options: together they replace the settings. */
function mailMember(options: CommandInput['options']): unknown {
  const members = {
    to: options['mail-to'],
    format: options['mail-format'],
    delivery: options['mail-delivery'],
  };
  const given = omitUndefined(members);
  return Object.keys(given).length === 0 ? undefined : given;
}

/** A service with its mail settings, as the API for administrators presents it. */
export async function presentAdministered(deps: Pick<Dependencies, 'store'>, service: Service) {
  const mail = presentMailSettings(await mailOfService(deps, service.slug));
  return { ...presentService(await withVerifiedHostsOf(deps, service)), mail };
}

type ShownService = ReturnType<typeof presentService> & {
  readonly mail?: Awaited<ReturnType<typeof presentAdministered>>['mail'];
};

/** The table has the proven hosts and the mail settings only if a service has them. */
export function serviceColumns(services: readonly ShownService[]): Columns<ShownService> {
  const hasProofs = services.some(({ verifiedHosts }) => verifiedHosts.length > 0);
  const hasMail = services.some(({ mail }) => mail !== undefined && mail !== null);
  return [
    { name: 'slug', title: 'SLUG', value: ({ slug }) => slug },
    { name: 'name', title: 'NAME', flexible: true, value: ({ name }) => name },
    { name: 'scale', title: 'SCALE', value: ({ confidenceScale }) => confidenceScale },
    {
      name: 'hosts',
      title: 'HOSTS',
      flexible: true,
      value: ({ hosts }) => hosts,
      text: ({ hosts }) => hosts.join(' '),
    },
    {
      name: 'verified_hosts',
      title: hasProofs ? 'VERIFIED' : undefined,
      flexible: true,
      value: ({ verifiedHosts }) => verifiedHosts,
      text: ({ verifiedHosts }) => verifiedHosts.join(' '),
    },
    {
      name: 'networks',
      title: 'NETWORKS',
      flexible: true,
      value: ({ networks }) => networks,
      text: ({ networks }) => networks.join(' '),
    },
    {
      name: 'mail_to',
      title: hasMail ? 'MAIL' : undefined,
      value: ({ mail }) => mail?.to,
      text: ({ mail }) => (mail ? `${mail.to} (${mail.format}, ${mail.delivery})` : ''),
    },
    { name: 'expire_after_days', value: ({ expireAfterDays }) => expireAfterDays },
    { name: 'created_at', value: ({ createdAt }) => createdAt },
  ];
}

export function serviceTable(services: readonly ShownService[]): string {
  return tableOf(serviceColumns(services), services);
}
