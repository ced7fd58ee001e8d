import type { z } from 'zod';
import { type Config, readConfig } from '../config.ts';
import { Problem } from '../domain/problem.ts';
import { validatePaths } from '../http/requests/field-rules.ts';
import type { Dependencies } from '../operations/dependencies.ts';
import type { AuditContext } from '../ports/audit-context.ts';
import { hasStore, storeLocation, storeSetting } from '../server/find-store.ts';
import { type OpenDependencies, openDependencies } from '../server/open-dependencies.ts';
import { CommandError, type CommandInput, EXIT } from './command.ts';
import { type InputNames, nameInput, nameProblem } from './input/input-names.ts';

interface StoreOptions {
  /** Whether the command may create the store. Otherwise an absent one is an error. */
  readonly create?: boolean;
  /** The names of the input in errors of the operation. */
  readonly names?: InputNames;
}

/** Opens the store for one command, whether or not a server uses it too. */
export async function onStore<Result>(
  { printMessage }: Pick<CommandInput, 'printMessage'>,
  work: (deps: OpenDependencies) => Promise<Result>,
  { create = false, names = {} }: StoreOptions = {},
): Promise<Result> {
  const config = readConfig();
  const isNew = create && !(await hasStore(config));
  if (!create) await requireStore(config);
  const deps = await openDependencies(config);
  if (isNew)
    printMessage(`There was no store in ${storeLocation(config)}: an empty one was created.`);
  try {
    return await work(deps);
  } catch (cause) {
    if (!(cause instanceof Problem && cause.code === 'invalid_body')) throw cause;
    throw new CommandError(nameProblem(cause.message, names));
  } finally {
    await deps.store.close();
  }
}

/** A wrong setting must not look like an empty store, nor leave one behind. */
export async function requireStore(config: Pick<Config, 'database' | 'dataDir'>): Promise<void> {
  if (await hasStore(config)) return;
  const setting = storeSetting(config);
  const noun = setting === 'RAPSHEET_DATA_DIR' ? 'folder' : 'database';
  throw new CommandError(
    `there is no store in ${storeLocation(config)}: set ${setting} to the ${noun} of your store (a first \`rapsheet serve\` creates one)`,
  );
}

/** The actor and time in the audit log for changes by a command. */
export function auditContextOf(deps: Dependencies): AuditContext {
  return { actor: 'command line', at: deps.now() };
}

/**
 * Validates input with a schema of the API. Errors name options and arguments, not the members of
 * the schema.
 */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  members: Readonly<Record<string, unknown>>,
  names: InputNames = {},
): z.output<Schema> {
  const checked = validatePaths(schema, omitUndefined(members));
  if ('value' in checked) return checked.value;
  const problems = checked.problems.map((problem) => nameInput(problem, names));
  throw new CommandError([...new Set(problems)].join('\n'), EXIT.usage);
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
