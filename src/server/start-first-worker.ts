import { type StartedProcess, startFirst } from '../analysis/worker/start-first.ts';
import { readProgramPath } from '../config/program-path.ts';

/**
 * Starts a worker process before the settings are read: reading them loads modules for as long as
 * the process takes to start. `openAnalyser` takes it over; the caller ends it if that fails.
 */
export function startFirstWorker(): StartedProcess | undefined {
  return startFirst({ path: readProgramPath() });
}
