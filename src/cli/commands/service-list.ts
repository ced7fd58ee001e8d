import { presentMailSettings } from '../../http/responses/deliveries/present-mail.ts';
import { presentService } from '../../http/responses/present.ts';
import { listServices } from '../../operations/accounts/list-services.ts';
import { mailOfServices } from '../../operations/mail/show-mail.ts';
import { withVerifiedHosts } from '../../operations/ownership/verified-hosts.ts';
import type { Command } from '../command.ts';
import { serviceColumns } from '../options/service-options.ts';
import { outputOption } from '../output/format.ts';
import { printList } from '../output/list.ts';
import { onStore } from '../store-command.ts';

export const serviceList: Command = {
  name: 'service list',
  usage: '',
  summary: 'List the services',
  options: outputOption,
  async run(input) {
    const services = await onStore(input, async (deps) => {
      const mails = await mailOfServices(deps);
      const services = await withVerifiedHosts(deps, await listServices(deps));
      return services.map((service) => ({
        ...presentService(service),
        mail: presentMailSettings(mails.get(service.slug)),
      }));
    });
    printList(input, {
      result: { services },
      columns: serviceColumns(services),
      rows: services,
    });
  },
};
