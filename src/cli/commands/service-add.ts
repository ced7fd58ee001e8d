import { serviceBody } from '../../http/requests/admin-fields.ts';
import { presentService } from '../../http/responses/present.ts';
import { addService } from '../../operations/accounts/add-service.ts';
import type { Command } from '../command.ts';
import { serviceMembers, serviceOptions, serviceTable } from '../options/service-options.ts';
import { auditContextOf, onStore, parseInput } from '../store-command.ts';

export const serviceAdd: Command = {
  name: 'service add',
  usage:
    '<slug> [--name <text>] [--scale <1-100>] [--host <pattern>]… [--network <cidr>]… [--expire-after <days>]',
  summary: 'Add a service and its feed',
  options: serviceOptions,
  positionals: [1, 1],
  async run(input) {
    const request = parseInput(serviceBody, {
      slug: input.positionals[0],
      ...serviceMembers(input.options),
    });
    const service = presentService(
      await onStore(input, (deps) => addService(deps, auditContextOf(deps), request)),
    );
    input.print({ service }, serviceTable([service]));
  },
};
