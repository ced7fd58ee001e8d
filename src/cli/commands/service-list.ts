import { presentService } from '../../http/responses/present.ts';
import { listServices } from '../../operations/accounts/list-services.ts';
import type { Command } from '../command.ts';
import { serviceTable } from '../options/service-options.ts';
import { onStore } from '../store-command.ts';

export const serviceList: Command = {
  name: 'service list',
  usage: '',
  summary: 'List the services',
  async run(input) {
    const found = await onStore(input, listServices);
    const services = found.map(presentService);
    input.print({ services }, serviceTable(services));
  },
};
