import { RapsheetError } from '../../client/error.ts';
import type { Ownership, Service, ShownMail } from '../../client/wire.ts';
import { type Command, CommandError, EXIT } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { servicesOfServer } from '../feeds/server-services.ts';
import { tableOf, terminalWidth } from '../output/list.ts';
import { ownershipColumns } from '../output/ownership-table.ts';
import { fields } from '../output/show.ts';

export const serviceShow: Command = {
  name: 'service show',
  usage: '<service>',
  summary: 'Show a service of a server: its hosts, networks and scale; to its owners also more',
  arguments: { '<service>': 'The slug of the service, such as ply' },
  options: connectionOptions,
  examples: [{ command: 'rapsheet service show ply', description: 'Show the service ply' }],
  positionals: [1, 1],
  async run(input) {
    const [slug = ''] = input.positionals;
    const client = connect(input);
    // The API has no operation for a single service.
    const service = (await servicesOfServer(input)).find((one) => one.slug === slug);
    if (service === undefined)
      throw new CommandError(
        `there is no service ${slug}: see "rapsheet services" for a list`,
        EXIT.absent,
      );
    const mail = await ifPermitted(client.showMail(slug));
    const ownership = await ifPermitted(client.showOwnership(slug));
    input.print(
      { service, ...(mail && { mail: mail.mail }), ...(ownership && { ownership }) },
      describe(service, mail, ownership),
    );
  },
};

/** Only owners of the feed may see the mail settings, administrators also the ownership. */
async function ifPermitted<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (cause) {
    if (cause instanceof RapsheetError && cause.status === 403) return undefined;
    throw cause;
  }
}

function describe(
  service: Service,
  mail: ShownMail | undefined,
  ownership: Ownership | undefined,
): string {
  const { hosts, verifiedHosts, networks, expireAfterDays } = service;
  const verified = new Set(verifiedHosts);
  const summary = fields([
    ['slug', service.slug],
    ['name', service.name],
    ['confidence', `0 to ${service.confidenceScale}`],
    ['hosts', listOf(hosts.map((host) => `${host}${verified.has(host) ? ' (verified)' : ''}`))],
    ['networks', listOf(networks)],
    ['open reports', String(service.openReports ?? 'being counted')],
    ['expiry', `${expireAfterDays} days after the last sighting`],
    ['created', service.createdAt],
    ...(mail === undefined ? [] : [['mail', mailText(mail)] as const]),
  ]);
  if (ownership === undefined || ownership.patterns.length === 0) return summary;
  return `${summary}\n\n${tableOf(ownershipColumns, ownership.patterns, terminalWidth())}`;
}

function listOf(texts: readonly string[]): string {
  return texts.length === 0 ? 'none' : texts.join(', ');
}

function mailText({ mail }: ShownMail): string {
  if (mail === null) return 'none';
  const { to, format, delivery, failingSince } = mail;
  const state = failingSince === null ? '' : `, failing since ${failingSince}`;
  return `${to} (${format}, ${delivery}${state})`;
}
