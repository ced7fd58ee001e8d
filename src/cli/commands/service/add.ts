import { serviceBody } from '../../../http/requests/admin-fields.ts';
import { addService } from '../../../operations/services/add-service.ts';
import type { Command } from '../../command.ts';
import {
  presentAdministered,
  serviceMembers,
  serviceNames,
  serviceOptions,
  serviceTable,
} from '../../options/service-options.ts';
import { auditContextOf, onStore, parseInput } from '../../store-command.ts';

export const serviceAdd: Command = {
  usage:
    '<slug> [--name <text>] [--scale <1-100>] [--host <pattern>]… [--network <cidr>]… [--expire-after <days>] [--mail-to <address> [--mail-format xarf|arf] [--mail-delivery each|daily]]',
  arguments: { '<slug>': 'The name in the paths of the feed' },
  options: serviceOptions,
  examples: [
    {
      command:
        "rapsheet service add quay --name 'Quay Hosting' --host '*.quay.example' --network 2001:db8:99::/48",
      description: 'Add a service with its hosts',
    },
  ],
  positionals: [1, 1],
  async run(input) {
    const members = { slug: input.positionals[0], ...serviceMembers(input.options) };
    const request = parseInput(serviceBody, members, serviceNames);
    const service = await onStore(
      input,
      async (deps) =>
        presentAdministered(deps, await addService(deps, auditContextOf(deps), request)),
      { create: true, names: serviceNames },
    );
    input.print({ service }, serviceTable([service]));
  },
};
