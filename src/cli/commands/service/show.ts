import { RapsheetError } from '../../../client/error.ts';
import type { Ownership, Service, ShownMail } from '../../../client/wire.ts';
import type { Dependencies } from '../../../operations/dependencies.ts';
import { listServices } from '../../../operations/services/list-services.ts';
import { type Command, CommandError, type CommandInput, EXIT } from '../../command.ts';
import { connect } from '../../connection.ts';
import { servicesOfServer } from '../../feeds/server-services.ts';
import { connectionOptions } from '../../options/connection-options.ts';
import { presentAdministered } from '../../options/service-options.ts';
import { outputOption } from '../../output/format.ts';
import { printList, tableOf } from '../../output/list.ts';
import { howToProve, ownershipColumns } from '../../output/ownership-table.ts';
import { fields } from '../../output/show.ts';
import { table } from '../../output/table.ts';
import { nameServer, storeOption, usesStore } from '../../server-or-store.ts';
import { onStore } from '../../store-command.ts';

export const serviceShow: Command = {
  usage: '<service> [--store|--mail|--ownership]',
  arguments: { '<service>': 'The slug of the service, such as ply' },
  options: {
    ...connectionOptions,
    ...storeOption,
    ...outputOption,
    mail: {
      type: 'boolean',
      description: 'Where a server mails new reports to, for owners of the feed',
    },
    ownership: {
      type: 'boolean',
      description: 'Which declared hosts are proven, and what to publish for the others',
    },
  },
  examples: [
    { command: 'rapsheet service show ply', description: 'Show the service ply' },
    {
      command: 'rapsheet service show ply --ownership',
      description: 'Show which hosts of ply are proven',
    },
    {
      command: 'rapsheet service show ply --mail',
      description: 'Show where reports of ply are mailed to',
    },
  ],
  positionals: [1, 1],
  async run(input) {
    const { mail, ownership, output } = input.options;
    checkForm(input);
    if (ownership === true) return printOwnership(input);
    if (output !== undefined && output !== 'json')
      throw new CommandError('--output is for --ownership: a service is no list', EXIT.usage);
    if (mail === true) return printMail(input);
    return usesStore(input) ? showOfStore(input) : showOfServer(input);
  },
};

function checkForm({ options }: CommandInput): void {
  const given = ['store', 'mail', 'ownership'].filter((name) => options[name] === true);
  if (given.length > 1)
    throw new CommandError(`--${given[0]} and --${given[1]} exclude each other`, EXIT.usage);
}

async function showOfStore(input: CommandInput): Promise<void> {
  const [slug = ''] = input.positionals;
  const service = await onStore(input, async (deps: Dependencies) => {
    const found = (await listServices(deps)).find((one) => one.slug === slug);
    if (found === undefined) throw unknownService(slug);
    return presentAdministered(deps, found);
  });
  input.print({ service }, fields([...serviceRows(service), ['mail', mailText(service.mail)]]));
}

async function showOfServer(input: CommandInput): Promise<void> {
  const [slug = ''] = input.positionals;
  const client = connect(input);
  // The API has no operation for a single service.
  const service = (await servicesOfServer(input)).find((one) => one.slug === slug);
  if (service === undefined) throw unknownService(slug);
  const mail = await ifPermitted(client.showMail(slug));
  const ownership = await ifPermitted(client.showOwnership(slug));
  nameServer(input, (url) => `${slug} at ${url}; --store shows that of the store.`);
  input.print(
    { service, ...(mail && { mail: mail.mail }), ...(ownership && { ownership }) },
    describe(service, mail, ownership),
  );
}

function unknownService(slug: string): CommandError {
  return new CommandError(
    `there is no service ${slug}: see "rapsheet service list" for a list`,
    EXIT.absent,
  );
}

async function printMail(input: CommandInput): Promise<void> {
  const [service = ''] = input.positionals;
  const answer = await connect(input).showMail(service);
  if (answer.mail === null)
    return input.print(
      answer,
      `${service} gets no mail. An administrator can set an address: rapsheet service set ${service} --mail-to <address>`,
    );
  const { to, format, delivery, failingSince } = answer.mail;
  const state = failingSince === null ? 'works' : `failing since ${failingSince}`;
  input.print(
    answer,
    table(['TO', 'FORMAT', 'DELIVERY', 'STATE'], [[to, format, delivery, state]]),
  );
}

async function printOwnership(input: CommandInput): Promise<void> {
  const [service = ''] = input.positionals;
  const shown = await connect(input).showOwnership(service);
  const rows = shown.patterns;
  printList(input, {
    result: shown,
    columns: ownershipColumns,
    rows,
    text: () => `${tableOf(ownershipColumns, rows)}${howToProve(shown)}`,
  });
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

/** Only a server tells the number of open reports. */
type ShownService = Omit<Service, 'openReports'> & Partial<Pick<Service, 'openReports'>>;

function serviceRows(service: ShownService): readonly (readonly [string, string])[] {
  const { hosts, verifiedHosts, networks, expireAfterDays } = service;
  const verified = new Set(verifiedHosts);
  return [
    ['slug', service.slug],
    ['name', service.name],
    ['confidence', `0 to ${service.confidenceScale}`],
    ['hosts', listOf(hosts.map((host) => `${host}${verified.has(host) ? ' (verified)' : ''}`))],
    ['networks', listOf(networks)],
    ...(service.openReports === undefined
      ? []
      : [['open reports', String(service.openReports ?? 'being counted')] as const]),
    ['expiry', `${expireAfterDays} days after the last sighting`],
    ['created', service.createdAt],
  ];
}

function describe(
  service: Service,
  mail: ShownMail | undefined,
  ownership: Ownership | undefined,
): string {
  const summary = fields([
    ...serviceRows(service),
    ...(mail === undefined ? [] : [['mail', mailText(mail.mail)] as const]),
  ]);
  if (ownership === undefined || ownership.patterns.length === 0) return summary;
  return `${summary}\n\n${tableOf(ownershipColumns, ownership.patterns)}`;
}

function listOf(texts: readonly string[]): string {
  return texts.length === 0 ? 'none' : texts.join(', ');
}

type Mail = NonNullable<ShownMail['mail']>;

/** Only a server tells since when mail fails. */
function mailText(
  mail: (Pick<Mail, 'to' | 'format' | 'delivery'> & Partial<Pick<Mail, 'failingSince'>>) | null,
): string {
  if (mail === null) return 'none';
  const { to, format, delivery, failingSince = null } = mail;
  const state = failingSince === null ? '' : `, failing since ${failingSince}`;
  return `${to} (${format}, ${delivery}${state})`;
}
