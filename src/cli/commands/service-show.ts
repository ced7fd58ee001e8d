import type { RapsheetClient } from '../../client/client.ts';
import { RapsheetError } from '../../client/error.ts';
import type { Ownership, Service, ServicePage, ShownMail } from '../../client/wire.ts';
import { type Command, CommandError, EXIT } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
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
    const service = await findService(client, slug);
    const mail = await ifPermitted(client.showMail(slug));
    const ownership = await ifPermitted(client.showOwnership(slug));
    input.print(
      { service, ...(mail && { mail: mail.mail }), ...(ownership && { ownership }) },
      describe(service, mail, ownership),
    );
  },
};

/** The list is the only operation with services; a page has up to 1000 of them. */
async function findService(client: RapsheetClient, slug: string): Promise<Service> {
  let page: ServicePage | undefined;
  do {
    page = await client.services({ limit: 1000, cursor: page?.nextCursor ?? undefined });
    const found = page.services.find((service) => service.slug === slug);
    if (found !== undefined) return found;
  } while (page.hasMore);
  throw new CommandError(
    `there is no service ${slug}: see "rapsheet services" for a list`,
    EXIT.absent,
  );
}

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
