import type { ParseArgsOptionsConfig } from 'node:util';
import type { presentService } from '../../http/responses/present.ts';
import type { CommandInput } from '../command.ts';
import { table } from '../output/table.ts';
import { asNumber } from '../store-command.ts';

export const serviceOptions = {
  name: { type: 'string' },
  scale: { type: 'string' },
  host: { type: 'string', multiple: true },
  network: { type: 'string', multiple: true },
  'expire-after': { type: 'string' },
} as const satisfies ParseArgsOptionsConfig;

/** The options as members of the request body of the API. */
export function serviceMembers(options: CommandInput['options']): Record<string, unknown> {
  return {
    name: options['name'],
    confidenceScale: asNumber(options['scale']),
    hosts: options['host'],
    networks: options['network'],
    expireAfterDays: asNumber(options['expire-after']),
  };
}

export function serviceTable(services: readonly ReturnType<typeof presentService>[]): string {
  return table(
    ['SLUG', 'NAME', 'SCALE', 'HOSTS', 'NETWORKS'],
    services.map(({ slug, name, confidenceScale, hosts, networks }) => [
      slug,
      name,
      String(confidenceScale),
      hosts.join(' '),
      networks.join(' '),
    ]),
  );
}
