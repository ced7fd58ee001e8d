import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { lastServerUrl, rememberServerUrl } from './server-url.ts';

describe('the last URL of a server', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'rapsheet-url-'));
  after(() => rmSync(dataDir, { recursive: true }));
  const warnings: unknown[] = [];
  const log = { warn: (...values: unknown[]) => void warnings.push(values) } as never;

  it('is unknown before its first start, and then the one that it wrote last', () => {
    assert.equal(lastServerUrl({ dataDir }), undefined);
    for (const url of ['http://127.0.0.1:9000', 'https://abuse.example']) {
      rememberServerUrl({ dataDir }, url, log);
      assert.equal(lastServerUrl({ dataDir }), url);
    }
  });

  it('is unknown if the file has been damaged', () => {
    for (const text of ['', 'nothing', 'javascript:alert(1)']) {
      writeFileSync(join(dataDir, 'server-url'), text);
      assert.equal(lastServerUrl({ dataDir }), undefined);
    }
  });

  it('only causes a warning if it cannot be written', () => {
    rememberServerUrl({ dataDir: join(dataDir, 'absent') }, 'http://127.0.0.1:9000', log);
    assert.equal(warnings.length, 1);
  });
});
