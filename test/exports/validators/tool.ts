import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after } from 'node:test';

/** Administration tools are not in the path of every account. */
const PATH = [process.env['PATH'], '/usr/sbin', '/sbin'].join(delimiter);

/** Why the tests of a tool are skipped, if they are. */
export function whyNo(tool: string): string | false {
  const { error } = spawnSync(tool, ['--version'], { env: { PATH } });
  return error === undefined ? false : `${tool} is not installed`;
}

export interface ToolResult {
  readonly status: number | null;
  readonly output: string;
}

/** Runs a tool to its end. */
export function run(tool: string, ...args: readonly string[]): ToolResult {
  const { status, stdout, stderr, error } = spawnSync(tool, args, {
    env: { PATH },
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { status, output: `${error?.message ?? ''}${stdout}${stderr}` };
}

/** Writes files into a folder that is deleted after the tests of the file. */
export function temporaryFiles(): (name: string, text: string) => string {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-exports-'));
  after(() => rmSync(folder, { recursive: true }));
  return (name, text) => {
    const file = join(folder, name);
    writeFileSync(file, text);
    return file;
  };
}
