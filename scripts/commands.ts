import { spawnSync } from 'node:child_process';

/** Runs a program in the terminal of this process, and exits if it fails. */
export function runCommand(command: string, args: readonly string[] = []): void {
  const [file = '', ...own] = command.split(' ');
  const { status } = spawnSync(file, [...own, ...args], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
