import { serviceChanges } from '../../http/requests/admin-fields.ts';
import { presentService } from '../../http/responses/present.ts';
import { changeService } from '../../operations/accounts/change-service.ts';
import type { Command, CommandInput } from '../command.ts';
import { serviceMembers, serviceOptions, serviceTable } from '../options/service-options.ts';
import { either, obeying, onStore, operatorOf, something } from '../store-command.ts';

export const serviceSet: Command = {
  name: 'service set',
  usage:
    '<slug> [--name <text>] [--scale <1-100>] [--host <pattern>]…|--no-hosts [--network <cidr>]…|--no-networks [--expire-after <days>]',
  summary: 'Change a service; hosts and networks that are given replace those it had',
  options: {
    ...serviceOptions,
    'no-hosts': { type: 'boolean' },
    'no-networks': { type: 'boolean' },
  },
  words: [1, 1],
  async run(input) {
    const [slug = ''] = input.words;
    const changes = obeying(serviceChanges, something(membersOf(input.options)));
    const service = presentService(
      await onStore(input, (deps) => changeService(deps, operatorOf(deps), slug, changes)),
    );
    input.print({ service }, serviceTable([service]));
  },
};

function membersOf(options: CommandInput['options']): Record<string, unknown> {
  const members = serviceMembers(options);
  return {
    ...members,
    hosts: either(options, 'no-hosts', 'host') === true ? [] : members['hosts'],
    networks: either(options, 'no-networks', 'network') === true ? [] : members['networks'],
  };
}
