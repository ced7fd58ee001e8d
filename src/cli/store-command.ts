import { existsSync } from 'node:fs';
import type { z } from 'zod';
import { readConfig } from '../config.ts';
import { validate } from '../http/requests/field-rules.ts';
import type { Dependencies } from '../operations/dependencies.ts';
import type { AuditContext } from '../ports/audit-context.ts';
import { type OpenDependencies, openDependencies } from '../server/open-dependencies.ts';
import { CommandError, type CommandInput, EXIT } from './command.ts';

/** Works on the store itself, whether or not a server runs on it. */
export async function onStore<Result>(
  { tell }: Pick<CommandInput, 'tell'>,
  work: (deps: OpenDependencies) => Promise<Result>,
): Promise<Result> {
  const config = readConfig();
  // In the wrong folder a list would be empty for no visible reason.
  const { database } = config;
  const isNew = database.kind === 'sqlite' && !existsSync(database.file);
  const deps = await openDependencies(config);
  if (isNew) tell(`There was no store in ${config.dataDir}: an empty one was made.`);
  try {
    return await work(deps);
  } finally {
    await deps.store.close();
  }
}

/** What the audit log says of everything that is done from here. */
export function operatorOf(deps: Dependencies): AuditContext {
  return { actor: 'command line', at: deps.now() };
}

/** The rules are those of the API, so that a wrong value gets the same sentence here as there. */
export function obeying<Schema extends z.ZodType>(
  schema: Schema,
  members: Readonly<Record<string, unknown>>,
): z.output<Schema> {
  const checked = validate(schema, given(members));
  if ('problems' in checked) throw new CommandError(checked.problems.join('\n'), EXIT.usage);
  return checked.value;
}

/** Without what was not said: a rule tells a missing member from a wrong one. */
export function given(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** The number that a text spells; any other text is left to the rule that it breaks. */
export function asNumber(text: unknown): unknown {
  return typeof text === 'string' && /^-?[0-9]{1,15}$/.test(text) ? Number(text) : text;
}

/** Which of two options that exclude each other was given, if any: the first is `true`. */
export function either(
  options: CommandInput['options'],
  yes: string,
  no: string,
): boolean | undefined {
  if (options[yes] !== undefined && options[no] !== undefined)
    throw new CommandError(`--${yes} and --${no} exclude each other`, EXIT.usage);
  if (options[yes] !== undefined) return true;
  return options[no] === undefined ? undefined : false;
}

/** A change that changes nothing is more likely a slip than a wish. */
export function something(
  changes: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (Object.keys(given(changes)).length === 0)
    throw new CommandError('nothing was said to change: see --help', EXIT.usage);
  return changes;
}
