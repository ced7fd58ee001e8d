import { readFileSync } from 'node:fs';
import type { Command } from '../command.ts';

/** The launcher answers before this file is loaded; `npm run rapsheet` has no launcher. */
export const version: Command = {
  usage: '',
  examples: [{ command: 'rapsheet version', description: 'Show the versions' }],
  async run({ print }) {
    const version = readVersion();
    const node = process.versions.node;
    print({ version, node }, `rapsheet ${version} (Node ${node})`);
  },
};

/** The package contains compiled files one folder deeper than the sources. */
function readVersion(): string {
  for (const path of ['../../../package.json', '../../../../package.json']) {
    const text = readIfExists(new URL(path, import.meta.url));
    if (text !== undefined) return JSON.parse(text).version;
  }
  throw new Error('package.json is missing');
}

function readIfExists(file: URL): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
