import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import type { Document, Operation } from '../scripts/generate/document.ts';
import { type GeneratedFile, generateFiles } from '../scripts/generate/files.ts';

const ROOT = join(import.meta.dirname, '..');

describe('generated files', () => {
  let files: readonly GeneratedFile[];
  before(async () => {
    files = await generateFiles();
  });

  for (const path of [
    'docs/openapi.json',
    'src/client/wire.ts',
    'docs/man/rapsheet.1',
    'clients/python/src/rapsheet/models.py',
    'docs/operations/errors.md',
    'docs/operations/configuration.md',
    'docs/extending/tags.md',
    'docs/extending/families.md',
  ]) {
    it(`has an up-to-date ${path} (npm run generate)`, () => {
      const text = files.find((file) => file.path === path)?.text;
      assert.equal(readFileSync(join(ROOT, path), 'utf8'), text);
    });
  }

  it('generates no file that is not checked here', () => {
    assert.equal(files.length, 8);
  });
});

describe('the OpenAPI document', () => {
  const document = JSON.parse(readFileSync(join(ROOT, 'docs/openapi.json'), 'utf8')) as Document & {
    readonly tags: readonly { name: string }[];
  };
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const answersOf = ({ responses }: Operation) => Object.entries(responses);

  it('gives every operation a unique id', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    assert.ok(ids.every((id) => /^[a-z][A-Za-z]+$/.test(id)));
    assert.equal(new Set(ids).size, ids.length);
  });

  it('gives every operation a summary and a known tag', () => {
    const known = document.tags.map(({ name }) => name);
    for (const { operation } of operations) {
      assert.ok(operation.summary);
      assert.ok(operation.tags?.every((tag) => known.includes(tag)) && operation.tags.length === 1);
    }
  });

  it('describes every response', () => {
    for (const { operation } of operations)
      for (const [status, { description }] of answersOf(operation)) {
        const where = `${operation.operationId} ${status}`;
        assert.ok(description.length > 4 && description !== 'Default Response', where);
      }
  });

  it('names X-Request-Id on every response and X-Error-Code on every error', () => {
    for (const { operation } of operations)
      for (const [status, { headers }] of answersOf(operation)) {
        assert.ok(headers?.['X-Request-Id'], `${operation.operationId} ${status}`);
        assert.equal(headers['X-Error-Code'] !== undefined, Number(status) >= 400);
      }
  });

  it('names the quota headers on the responses of a lookup that have them', () => {
    const lookUp = document.paths['/private/sample/{hash}']?.['get'];
    const telling = answersOf(lookUp as Operation)
      .filter(([, { headers }]) => headers?.['X-RateLimit-Remaining'] !== undefined)
      .map(([status]) => status);
    assert.deepEqual(telling, ['200', '400', '404', '429']);
  });

  it('requires no token for public operations, and a role where one is needed', () => {
    const securityOf = (path: string, method: string) => document.paths[path]?.[method]?.security;
    for (const path of ['/livez', '/readyz', '/healthz'])
      assert.deepEqual(securityOf(path, 'get'), []);
    assert.deepEqual(securityOf('/feed/{service}/api', 'post'), [
      { token: ['researcher'] },
      { session: ['researcher'] },
    ]);
    assert.deepEqual(securityOf('/admin/audit', 'get'), [
      { token: ['admin'] },
      { session: ['admin'] },
    ]);
    assert.equal(securityOf('/api/balance', 'get'), undefined);
  });

  it('says that an import takes NDJSON', () => {
    const body = document.paths['/admin/samples']?.['post']?.requestBody;
    assert.deepEqual(Object.keys(body?.content ?? {}), ['application/x-ndjson']);
  });

  it('references every schema that it lists and lists every schema that it references', () => {
    const text = JSON.stringify(document);
    const used = new Set(
      [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name),
    );
    assert.deepEqual([...used].sort(), Object.keys(document.components.schemas).sort());
  });

  it('contains no fields that only the generator uses', () => {
    assert.doesNotMatch(JSON.stringify(document), /x-route-notes|answerHeaders/);
  });
});
