import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { openRig } from '../http-rig.ts';
import { listen } from '../wire.ts';

const rig = await openRig();
const folder = mkdtempSync(join(tmpdir(), 'rapsheet-older-client-'));
after(async () => {
  await rig.close();
  rmSync(folder, { recursive: true });
});

const PAGE = new URL('../../../docs/guides/coming-from-uncoverit.md', import.meta.url);
/** Without the first line, which names the server and the token. */
const [, commands = ''] =
  /^```sh\nexport RAPSHEET_URL=.* RAPSHEET_TOKEN=.*\n([\s\S]*?)^```$/m.exec(
    readFileSync(PAGE, 'utf8'),
  ) ?? [];

/** Pastes the commands into a shell, each of which prints one JSON object. */
async function answersOf(token: string): Promise<readonly Record<string, unknown>[]> {
  const port = await listen(rig);
  const { stdout } = await promisify(execFile)('bash', ['-euc', commands], {
    cwd: folder,
    env: {
      ...process.env,
      RAPSHEET_URL: `http://127.0.0.1:${port}`,
      RAPSHEET_TOKEN: token,
      no_proxy: '*',
    },
  });
  return JSON.parse(`[${stdout.replaceAll('}{', '},{')}]`);
}

describe('the page for clients of UncoverIt', () => {
  it('shows commands that work', async () => {
    const { token } = await rig.researcher();
    const [balance, uploaded, status, ...others] = await answersOf(token);
    assert.deepEqual(others, []);
    assert.equal(balance?.['requests_left'], 1000);
    assert.equal(
      uploaded?.['sha256Hash'],
      createHash('sha256').update('MZ an invented file').digest('hex'),
    );
    assert.equal(status?.['status'], 'queued');
  });

  it('promises a number and a date to accounts without limit and expiry', async () => {
    const { token } = await rig.reader({ limit: null, period: 'none' });
    const { json } = await rig.ask('GET', '/api/balance/', { token });
    assert.deepEqual(
      [json['requests_left'], json['expiration_date']],
      [999_999_999_999_999, '9999-12-31T23:59:59Z'],
    );
    assert.ok(Date.parse(String(json['expiration_date'])) > Date.parse('9999-01-01'));
    const { headers } = await rig.lookUp('f'.repeat(64), token);
    for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining'])
      assert.equal(headers[name], '999999999999999', name);
  });
});
