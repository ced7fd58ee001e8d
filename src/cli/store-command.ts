import { existsSync } from 'node:fs';
import type { z } from 'zod';
import { readConfig } from '../config.ts';
import { validate } from '../http/requests/field-rules.ts';
import type { Dependencies } from '../operations/dependencies.ts';
import type { AuditContext } from '../ports/audit-context.ts';
import { type OpenDependencies, openDependencies } from '../server/open-dependencies.ts';
import { CommandError, type CommandInput, EXIT } from './command.ts';

/** Opens the store for one command, whether or not a server uses it too. */
export async function onStore<Result>(
  { printMessage }: Pick<CommandInput, 'printMessage'>,
  work: (deps: OpenDependencies) => Promise<Result>,
): Promise<Result> {
  const config = readConfig();
  // The message explains an empty list if the data folder is the wrong one.
  const { database } = config;
  const isNew = database.kind === 'sqlite' && !existsSync(database.file);
  const deps = await openDependencies(config);
  if (isNew) printMessage(`There was no store in ${config.dataDir}: an empty one was created.`);
  try {
    return await work(deps);
  } finally {
    await deps.store.close();
  }
}

/** The actor and time in the audit log for changes by a command. */
export function auditContextOf(deps: Dependencies): AuditContext {
  return { actor: 'command line', at: deps.now() };
}

/** Validates input with a schema of the API, so that errors have the same text as there. */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  members: Readonly<Record<string, unknown>>,
): z.output<Schema> {
  const checked = validate(schema, omitUndefined(members));
  if ('problems' in checked) throw new CommandError(checked.problems.join('\n'), EXIT.usage);
  return checked.value;
}

/** A schema treats an absent member differently from `undefined`. */
export function omitUndefined(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** Converts digits to a number; any other text is left for the schema to refuse. */
export function asNumber(text: unknown): unknown {
  return typeof text === 'string' && /^-?[0-9]{1,15}$/.test(text) ? Number(text) : text;
}

/** Reads two exclusive options: `true` for the first, `false` for the second, else `undefined`. */
export function readSwitch(
  options: CommandInput['options'],
  on: string,
  off: string,
): boolean | undefined {
  if (options[on] !== undefined && options[off] !== undefined)
    throw new CommandError(`--${on} and --${off} exclude each other`, EXIT.usage);
  if (options[on] !== undefined) return true;
  return options[off] === undefined ? undefined : false;
}

/** Refuses a change without any option, which is most likely a mistake. */
export function requireChange(
  changes: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (Object.keys(omitUndefined(changes)).length === 0)
    throw new CommandError('no change is given: see --help', EXIT.usage);
  return changes;
}
