import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Environment } from './environment.ts';

/** The XDG Base Directory Specification ignores a relative path. */
export function defaultConfigDir(environment: Environment): string {
  const xdg = environment['XDG_CONFIG_HOME'] ?? '';
  return join(isAbsolute(xdg) ? xdg : join(homeFolder(environment), '.config'), 'rapsheet');
}

/** A user of a container may have neither the variable nor an entry in the list of users. */
function homeFolder({ HOME = '' }: Environment): string {
  if (HOME !== '') return HOME;
  try {
    return homedir();
  } catch {
    return '/';
  }
}
