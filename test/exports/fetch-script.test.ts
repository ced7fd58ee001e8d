import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { csv } from '../../src/exports/csv.ts';
import { rpz } from '../../src/exports/rpz.ts';
import { fetchScript } from './fetch-script.ts';
import { exportContext, exportedReport, exportText } from './reports.ts';
import { whyNo } from './validators/tool.ts';

const zone = exportText(rpz, [exportedReport(1)], exportContext());
const table = exportText(csv, [exportedReport(1, { tags: ['naïve'] })], exportContext());

/** By path. */
const BODIES: Readonly<Record<string, string>> = {
  '/zone': zone,
  '/table': table,
  '/cut': zone.slice(0, zone.lastIndexOf(';')),
  '/empty': '',
  '/changed': zone.replace('CNAME', 'cname'),
};

describe('the script of the documentation', { skip: whyNo('curl') }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-fetch-'));
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    const body = BODIES[request.url ?? ''];
    const isKnown = request.headers['if-none-match'] === '"1"';
    response.statusCode = body === undefined ? 500 : isKnown ? 304 : 200;
    response.setHeader('etag', '"1"').end(isKnown ? undefined : body);
  });
  let base = '';

  before(async () => {
    writeFileSync(join(folder, 'fetch'), fetchScript());
    writeFileSync(join(folder, 'header'), 'Authorization: Bearer secret\n');
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  });
  after(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });

  async function fetchTo(path: string, file: string): Promise<number | null> {
    const child = spawn('sh', [join(folder, 'fetch'), `${base}${path}`, join(folder, file)], {
      env: { ...process.env, RAPSHEET_HEADER: join(folder, 'header') },
      timeout: 20_000,
    });
    const [code] = await once(child, 'exit');
    return code;
  }

  it('stores a complete export, and then asks only for a newer one', async () => {
    assert.equal(await fetchTo('/zone', 'a'), 0);
    assert.equal(readFileSync(join(folder, 'a'), 'utf8'), zone);
    assert.equal(requests.at(-1)?.headers.authorization, 'Bearer secret');
    assert.equal(await fetchTo('/zone', 'a'), 2);
    assert.equal(readFileSync(join(folder, 'a'), 'utf8'), zone);
  });

  it('stores a CSV, whose lines end with CRLF', async () => {
    assert.equal(await fetchTo('/table', 'b'), 0);
    assert.equal(readFileSync(join(folder, 'b'), 'utf8'), table);
  });

  for (const path of ['/cut', '/changed', '/empty', '/failing'])
    it(`keeps the old file if it gets ${path}`, async () => {
      writeFileSync(join(folder, 'c'), 'old');
      assert.equal(await fetchTo(path, 'c'), 1);
      assert.equal(readFileSync(join(folder, 'c'), 'utf8'), 'old');
      assert.equal(existsSync(join(folder, 'c.etag')), false);
    });
});
