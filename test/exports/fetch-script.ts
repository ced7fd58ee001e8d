import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const PAGE = join(import.meta.dirname, '../../docs/consumers/curl-cron.md');

/** The script of the documentation, without the indentation of the list that contains it. */
export function fetchScript(): string {
  const [, block = ''] =
    /```sh\n( +#!\/bin\/sh\n[\s\S]*?)\n +```/.exec(readFileSync(PAGE, 'utf8')) ?? [];
  return `${block.replace(/^ {3}/gm, '')}\n`;
}
