import type { Command } from '../command.ts';
import { connectionOptions } from '../connection.ts';
import { servicesOfServer } from '../feeds/server-services.ts';
import { serviceTable } from '../options/service-options.ts';

export const services: Command = {
  name: 'services',
  usage: '',
  summary: 'List the services of a server with their hosts and networks',
  options: connectionOptions,
  examples: [{ command: 'rapsheet services', description: 'List the services' }],
  async run(input) {
    const services = await servicesOfServer(input);
    input.print({ services }, serviceTable(services));
  },
};
