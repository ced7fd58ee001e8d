import type { ServicePage } from '../../client/wire.ts';
import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { serviceColumns } from '../options/service-options.ts';
import { outputOption } from '../output/format.ts';
import { printList } from '../output/list.ts';

export const services: Command = {
  name: 'services',
  usage: '',
  summary: 'List the services of a server with their hosts and networks',
  options: { ...connectionOptions, ...outputOption },
  async run(input) {
    const client = connect(input);
    const found: ServicePage['services'][number][] = [];
    let page: ServicePage | undefined;
    do {
      page = await client.services({ limit: 1000, cursor: page?.nextCursor ?? undefined });
      found.push(...page.services);
    } while (page.hasMore);
    printList(input, {
      result: { services: found },
      columns: serviceColumns(found),
      rows: found,
    });
  },
};
