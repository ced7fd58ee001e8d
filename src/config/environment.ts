import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/** Variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** All problems of the settings, one line each, which begins with the name of the variable. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/**
 * Merges the sources of settings: the environment, then `RAPSHEET_CONFIG_FILE`, and for each of the
 * `secrets` the file that `<name>_FILE` names. Adds what is wrong to `problems`.
 */
export function readTexts(
  environment: Environment,
  secrets: readonly string[],
  problems: string[],
): Environment {
  const values = { ...readConfigFile(environment, problems), ...withoutEmpty(environment) };
  return secrets.reduce<Environment>((all, name) => withSecretFile(all, name, problems), values);
}

/** Many tools unset a variable by setting it to the empty text. */
function withoutEmpty(environment: Environment): Environment {
  return Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
}

function readConfigFile(environment: Environment, problems: string[]): Environment {
  const file = environment['RAPSHEET_CONFIG_FILE'];
  if (file === undefined || file === '') return {};
  return withoutEmpty(parseEnv(readText('RAPSHEET_CONFIG_FILE', file, problems) ?? ''));
}

function withSecretFile(environment: Environment, name: string, problems: string[]): Environment {
  const file = environment[`${name}_FILE`];
  if (file === undefined) return environment;
  if (environment[name] !== undefined)
    problems.push(`${name} and ${name}_FILE are both set: set one of them`);
  return { ...environment, [name]: readText(`${name}_FILE`, file, problems)?.trim() };
}

function readText(name: string, file: string, problems: string[]): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    problems.push(`${name} names a file that cannot be read: ${file}`);
    return undefined;
  }
}
