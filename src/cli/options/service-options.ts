import type { Service } from '../../domain/services/service.ts';
import { presentMailSettings } from '../../http/responses/deliveries/present-mail.ts';
import { presentService } from '../../http/responses/present.ts';
import type { Dependencies } from '../../operations/dependencies.ts';
import { mailOfService } from '../../operations/mail/show-mail.ts';
import { withVerifiedHostsOf } from '../../operations/ownership/verified-hosts.ts';
import type { CommandInput, CommandOptions } from '../command.ts';
import type { InputNames } from '../input/input-names.ts';
import { type Columns, tableOf } from '../output/list.ts';
import { asNumber, omitUndefined } from '../store-command.ts';

export const serviceOptions = {
  name: { type: 'string', value: '<text>', description: 'The name to show' },
  scale: {
    type: 'string',
    value: '<1-100>',
    description: 'The largest confidence of its reports, 100 by default',
  },
  host: {
    type: 'string',
    multiple: true,
    value: '<pattern>',
    description: 'A host that the service answers for, or *.<name>',
  },
  network: {
    type: 'string',
    multiple: true,
    value: '<cidr>',
    description: 'A network that the service answers for',
  },
  'expire-after': {
    type: 'string',
    value: '<days>',
    description: 'The days after which unanswered reports expire',
  },
  'mail-to': { type: 'string', value: '<address>', description: 'Where new reports are mailed to' },
  'mail-format': {
    type: 'string',
    value: 'xarf|arf',
    description: 'The format of the mails; xarf by default',
  },
  'mail-delivery': {
    type: 'string',
    value: 'each|daily',
    description: 'A mail for each report, or one a day; each by default',
  },
} as const satisfies CommandOptions;

/** The names of the members in errors. */
export const serviceNames: InputNames = {
  slug: '<slug>',
  name: '--name',
  confidenceScale: '--scale',
  hosts: {
    name: '--host',
    rule: 'a host name, with or without "*." before it, given at most 1000 times',
  },
  networks: { name: '--network', rule: 'a network in CIDR notation, given at most 1000 times' },
  expireAfterDays: '--expire-after',
  'mail.to': '--mail-to',
  'mail.format': '--mail-format',
  'mail.delivery': '--mail-delivery',
};

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
  /** Only a server tells it. */
  readonly openReports?: number | null;
};

/** The table has open reports, proven hosts and mail settings only if a service has them. */
export function serviceColumns(services: readonly ShownService[]): Columns<ShownService> {
  const hasProofs = services.some(({ verifiedHosts }) => verifiedHosts.length > 0);
  const hasMail = services.some(({ mail }) => mail !== undefined && mail !== null);
  const hasCounts = services.some(({ openReports }) => typeof openReports === 'number');
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
    {
      name: 'open_reports',
      title: hasCounts ? 'OPEN' : undefined,
      value: ({ openReports }) => openReports,
    },
  ];
}

export function serviceTable(services: readonly ShownService[]): string {
  return tableOf(serviceColumns(services), services);
}
