import type { Environment } from './environment.ts';

/**
 * The `PATH` in which programs of the system are searched. Apart from the other settings, whose
 * schemas take 80 ms to load.
 */
export function readProgramPath(environment: Environment = process.env): string {
  return environment['PATH'] ?? '/usr/bin:/bin';
}
