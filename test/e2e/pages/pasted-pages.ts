import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The commands of pages that a reader runs with npm, without the half second that npm takes. */
const RAPSHEET = `${process.execPath} ${ROOT}src/cli/rapsheet.ts`;
const MAX_OUTPUT = 16 * 1024 * 1024;

/**
 * The `sh` blocks of a page of `docs/`, in their order. Blocks with a further word, such as
 * `sh server`, are not run.
 */
export function commandsOf(page: string): string {
  const text = readFileSync(`${ROOT}docs/${page}`, 'utf8');
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block]) => block);
  return blocks.join('\n').replaceAll('npm run -s rapsheet --', RAPSHEET);
}

/** Runs commands as a reader pastes them. The first that fails ends them, and the test. */
export async function paste(
  commands: string,
  { cwd = ROOT, settings }: { cwd?: string; settings: Readonly<Record<string, string>> },
): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', ['-c', `set -eu\n${commands}`], {
    cwd,
    env: { PATH: process.env['PATH'], ...settings },
    maxBuffer: MAX_OUTPUT,
  });
  return stdout;
}
