import { presentMailSettings } from '../../http/responses/deliveries/present-mail.ts';
import { presentService } from '../../http/responses/present.ts';
import { listServices } from '../../operations/accounts/list-services.ts';
import { mailOfServices } from '../../operations/mail/show-mail.ts';
import { withVerifiedHosts } from '../../operations/ownership/verified-hosts.ts';
import type { Command } from '../command.ts';
import { serviceTable } from '../options/service-options.ts';
import { onStore } from '../store-command.ts';

export const serviceList: Command = {
  name: 'service list',
  usage: '',
  summary: 'List the services',
  examples: [{ command: 'rapsheet service list', description: 'List the services' }],
  async run(input) {
    const services = await onStore(input, async (deps) => {
      const mails = await mailOfServices(deps);
      const services = await withVerifiedHosts(deps, await listServices(deps));
      return services.map((service) => ({
        ...presentService(service),
        mail: presentMailSettings(mails.get(service.slug)),
      }));
    });
    input.print({ services }, serviceTable(services));
  },
};
