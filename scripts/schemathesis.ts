import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { RapsheetClient } from '../src/client/client.ts';
import { EXAMPLE_ACCOUNT } from '../src/http/openapi/example-objects.ts';
import { Site } from './browser/site.ts';

/**
 * Runs schemathesis (a package of Python) against a server with a demo store. It sends requests
 * that the OpenAPI document allows, and requests that it forbids. `SCHEMATHESIS` is the
 * program; `--examples` and `--seed` choose how many requests, and which.
 */
const { values } = parseArgs({
  options: {
    examples: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
  },
});

const FOLDER = fileURLToPath(new URL('schemathesis/', import.meta.url));
const program = process.env['SCHEMATHESIS'] ?? 'schemathesis';

/** The rate limits would end the run of a single account. */
const site = new Site({
  RAPSHEET_ACCOUNT_CREATES_PER_MINUTE: '0',
  RAPSHEET_ACCOUNT_UPLOADS_PER_MINUTE: '0',
  RAPSHEET_ACCOUNT_UPLOADS: '0',
});

async function check(): Promise<number> {
  const { accounts } = await site.fillWithDemo();
  const { token = '' } = accounts.find(({ name }) => name === EXAMPLE_ACCOUNT) ?? {};
  await site.start();
  const client = new RapsheetClient({ url: site.url, token });
  await client.changeAccount(EXAMPLE_ACCOUNT, { quota: { limit: null } });
  const child = spawn(
    program,
    [
      `--config-file=${FOLDER}schemathesis.toml`,
      'run',
      `${site.url}/openapi.json`,
      `--header=Authorization: ${token}`,
      `--max-examples=${values.examples}`,
      `--seed=${values.seed}`,
    ],
    // It writes a cache of requests, with their tokens, into the current folder.
    {
      cwd: site.folder,
      stdio: 'inherit',
      env: { ...process.env, SCHEMATHESIS_HOOKS: `${FOLDER}hooks.py` },
    },
  );
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

try {
  process.exitCode = await check();
} finally {
  await site.close();
}
