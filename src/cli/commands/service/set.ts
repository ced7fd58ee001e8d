import { serviceChanges } from '../../../http/requests/admin-fields.ts';
import { changeService } from '../../../operations/services/change-service.ts';
import type { Command, CommandInput } from '../../command.ts';
import {
  presentAdministered,
  serviceMembers,
  serviceNames,
  serviceOptions,
  serviceTable,
} from '../../options/service-options.ts';
import {
  auditContextOf,
  onStore,
  parseInput,
  readSwitch,
  requireChange,
} from '../../store-command.ts';

export const serviceSet: Command = {
  usage:
    '<slug> [--name <text>] [--scale <1-100>] [--host <pattern>]…|--no-hosts [--network <cidr>]…|--no-networks [--expire-after <days>] [--mail-to <address> [--mail-format xarf|arf] [--mail-delivery each|daily]]|--no-mail',
  arguments: { '<slug>': 'The slug of the service' },
  options: {
    ...serviceOptions,
    'no-hosts': { type: 'boolean', description: 'Remove all hosts' },
    'no-networks': { type: 'boolean', description: 'Remove all networks' },
    'no-mail': { type: 'boolean', description: 'Send no more mail' },
  },
  examples: [
    {
      command: "rapsheet service set ply --host '*.ply.example' --host '*.example.invalid'",
      description: 'Replace the hosts',
    },
    {
      command: 'rapsheet service set ply --mail-to abuse@ply.example',
      description: 'Mail new reports, if the server has RAPSHEET_SMTP_URL',
    },
  ],
  positionals: [1, 1],
  async run(input) {
    const [slug = ''] = input.positionals;
    const members = requireChange(membersOf(input.options));
    const changes = parseInput(serviceChanges, members, serviceNames);
    const service = await onStore(
      input,
      async (deps) =>
        presentAdministered(deps, await changeService(deps, auditContextOf(deps), slug, changes)),
      { names: serviceNames },
    );
    input.print({ service }, serviceTable([service]));
  },
};

function membersOf(options: CommandInput['options']): Record<string, unknown> {
  const members = serviceMembers(options);
  return {
    ...members,
    hosts: readSwitch(options, 'no-hosts', 'host') === true ? [] : members['hosts'],
    networks: readSwitch(options, 'no-networks', 'network') === true ? [] : members['networks'],
    mail: readSwitch(options, 'no-mail', 'mail-to') === true ? null : members['mail'],
  };
}
