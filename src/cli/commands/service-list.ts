import { presentMailSettings } from '../../http/responses/deliveries/present-mail.ts';
import { presentService } from '../../http/responses/present.ts';
import type { Dependencies } from '../../operations/dependencies.ts';
import { mailOfServices } from '../../operations/mail/show-mail.ts';
import { withVerifiedHosts } from '../../operations/ownership/verified-hosts.ts';
import { listServices } from '../../operations/services/list-services.ts';
import { type Command, CommandError, type CommandInput, EXIT } from '../command.ts';
import { connectionOf, connectionOptions, namesServer } from '../connection.ts';
import { servicesOfServer } from '../feeds/server-services.ts';
import { serviceColumns } from '../options/service-options.ts';
import { outputOption } from '../output/format.ts';
import { printList } from '../output/list.ts';
import { onStore } from '../store-command.ts';

export const serviceList: Command = {
  name: 'service list',
  usage: '[--store]',
  summary: 'List the services of the server that you signed in to, else of the store',
  options: {
    ...connectionOptions,
    ...outputOption,
    store: { type: 'boolean', description: 'List those of the store, also if a server is named' },
  },
  examples: [
    { command: 'rapsheet service list', description: 'See which feeds exist' },
    { command: 'rapsheet service list --store', description: 'With the mail settings of each' },
  ],
  async run(input) {
    if (isOfServer(input)) return printServicesOfServer(input);
    const services = await onStore(input, servicesOfStore);
    printList(input, { result: { services }, columns: serviceColumns(services), rows: services });
  },
};

function isOfServer(input: CommandInput): boolean {
  const isStore = input.options['store'] === true;
  const server = Object.keys(connectionOptions).find((name) => input.options[name] !== undefined);
  if (isStore && server !== undefined)
    throw new CommandError(`--store and --${server} exclude each other`, EXIT.usage);
  return !isStore && namesServer(input);
}

/** Names the server unless an option does: the command beside it may change a store. */
async function printServicesOfServer(input: CommandInput): Promise<void> {
  const services = await servicesOfServer(input);
  const { url, profile } = input.options;
  if (url === undefined && profile === undefined)
    input.printMessage(
      `Services of ${connectionOf(input)?.url}; --store lists those of the store.`,
    );
  printList(input, { result: { services }, columns: serviceColumns(services), rows: services });
}

async function servicesOfStore(deps: Dependencies) {
  const mails = await mailOfServices(deps);
  const services = await withVerifiedHosts(deps, await listServices(deps));
  return services.map((service) => ({
    ...presentService(service),
    mail: presentMailSettings(mails.get(service.slug)),
  }));
}
