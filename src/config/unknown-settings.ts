import type { Environment } from './environment.ts';
import { clientSettings, settings } from './settings.ts';

const PREFIX = 'RAPSHEET_';

/** The variables with our prefix that no setting has, such as a mistyped one. */
export function unknownSettings(
  values: Environment,
  secrets: readonly string[],
): readonly string[] {
  const known = new Set([
    ...Object.keys(settings),
    ...Object.keys(clientSettings),
    ...secrets.map((name) => `${name}_FILE`),
  ]);
  return Object.keys(values)
    .filter((name) => name.startsWith(PREFIX) && !known.has(name))
    .sort();
}
