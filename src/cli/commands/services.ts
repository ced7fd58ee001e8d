import type { Command } from '../command.ts';
import { connectionOptions } from '../connection.ts';
import { servicesOfServer } from '../feeds/server-services.ts';
import { serviceColumns } from '../options/service-options.ts';
import { outputOption } from '../output/format.ts';
import { printList } from '../output/list.ts';

export const services: Command = {
  name: 'services',
  usage: '',
  summary: 'List the services of a server with their hosts and networks',
  options: { ...connectionOptions, ...outputOption },
  examples: [{ command: 'rapsheet services', description: 'List the services' }],
  async run(input) {
    const services = await servicesOfServer(input);
    printList(input, { result: { services }, columns: serviceColumns(services), rows: services });
  },
};
