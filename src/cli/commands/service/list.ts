import { presentMailSettings } from '../../../http/responses/deliveries/present-mail.ts';
import { presentService } from '../../../http/responses/present.ts';
import { presentOverlap } from '../../../http/responses/present-c2.ts';
import type { Dependencies } from '../../../operations/dependencies.ts';
import { mailOfServices } from '../../../operations/mail/show-mail.ts';
import { withVerifiedHosts } from '../../../operations/ownership/verified-hosts.ts';
import { listOverlaps } from '../../../operations/services/list-overlaps.ts';
import { listServices } from '../../../operations/services/list-services.ts';
import { type Command, CommandError, type CommandInput, EXIT } from '../../command.ts';
import { connect } from '../../connection.ts';
import { servicesOfServer } from '../../feeds/server-services.ts';
import { connectionOptions } from '../../options/connection-options.ts';
import { serviceColumns } from '../../options/service-options.ts';
import { outputOption } from '../../output/format.ts';
import { Pages, printList } from '../../output/list.ts';
import { overlapColumns } from '../../output/overlap-table.ts';
import { nameServer, storeOption, usesStore } from '../../server-or-store.ts';
import { onStore } from '../../store-command.ts';

const PAGE = 1000;

export const serviceList: Command = {
  usage: '[--store] [--overlaps [--ndjson]]',
  options: {
    ...connectionOptions,
    ...storeOption,
    ...outputOption,
    overlaps: {
      type: 'boolean',
      description:
        'List hosts and networks that another service declares too; on a server, as an administrator',
    },
    ndjson: { type: 'boolean', description: 'With --overlaps, print one JSON value per line' },
  },
  examples: [
    { command: 'rapsheet service list', description: 'See which feeds exist' },
    { command: 'rapsheet service list --store', description: 'With the mail settings of each' },
    { command: 'rapsheet service list --overlaps', description: 'List the overlaps' },
  ],
  async run(input) {
    if (input.options['overlaps'] === true) return printOverlaps(input);
    if (input.options['ndjson'] === true)
      throw new CommandError('--ndjson needs --overlaps', EXIT.usage);
    const services = usesStore(input)
      ? await onStore(input, servicesOfStore)
      : await servicesOfServer(input);
    nameServer(input, (url) => `Services of ${url}; --store lists those of the store.`);
    printList(input, { result: { services }, columns: serviceColumns(services), rows: services });
  },
};

async function servicesOfStore(deps: Dependencies) {
  const mails = await mailOfServices(deps);
  const services = await withVerifiedHosts(deps, await listServices(deps));
  return services.map((service) => ({
    ...presentService(service),
    mail: presentMailSettings(mails.get(service.slug)),
  }));
}

type ReadOverlaps = (page: {
  readonly cursor: string | undefined;
  readonly limit: number;
}) => Promise<{
  readonly overlaps: readonly ReturnType<typeof presentOverlap>[];
  readonly nextCursor?: string | null | undefined;
}>;

async function printOverlaps(input: CommandInput): Promise<void> {
  if (usesStore(input))
    return onStore(input, (deps) =>
      printPages(input, async (page) => {
        const { overlaps, nextCursor } = await listOverlaps(deps, page);
        return { overlaps: overlaps.map(presentOverlap), nextCursor };
      }),
    );
  const client = connect(input);
  await printPages(input, (page) => client.listOverlaps(page));
  nameServer(input, (url) => `Overlaps at ${url}; --store lists those of the store.`);
}

async function printPages(input: CommandInput, read: ReadOverlaps): Promise<void> {
  const pages = new Pages(input, overlapColumns);
  let cursor: string | undefined;
  do {
    const { overlaps, nextCursor } = await read({ cursor, limit: PAGE });
    cursor = nextCursor ?? undefined;
    // A page may be empty although another one follows.
    if (overlaps.length > 0 || cursor === undefined) pages.show({ overlaps }, overlaps);
  } while (cursor !== undefined);
  pages.end();
}
