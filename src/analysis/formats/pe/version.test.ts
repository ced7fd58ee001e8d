import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fixture } from '../../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../../test/analysis/fuzz.ts';
import { parsePe } from './pe.ts';
import { executionLevelOf, readVersionInfo } from './version.ts';

function versionResource(): Buffer {
  const bytes = fixture('analysis/pe/hello32');
  const resource = parsePe(bytes)?.resources.find(({ type }) => type === 'VERSION');
  assert.ok(resource);
  return bytes.subarray(resource.offset, resource.offset + resource.size);
}

describe('readVersionInfo', () => {
  it('reads texts beyond ASCII', () => {
    assert.equal(readVersionInfo(versionResource())?.strings['ProductName'], 'Fixture été');
  });

  it('says nothing of another resource', () => {
    assert.equal(readVersionInfo(Buffer.from('anything else')), undefined);
  });

  it('returns for every input', () => {
    fc.assert(
      fc.property(hostileVariants(versionResource()), (bytes) => {
        const info = readVersionInfo(bytes);
        assert.ok(Object.keys(info?.strings ?? {}).length <= 64);
      }),
      fuzzSettings(),
    );
  });
});

describe('executionLevelOf', () => {
  const manifest = `<a:requestedExecutionLevel uiAccess='false' level='highestAvailable' />`;

  it('reads the level, whatever the encoding and the order of attributes', () => {
    assert.equal(executionLevelOf(Buffer.from(manifest)), 'highestAvailable');
    assert.equal(executionLevelOf(Buffer.from(manifest, 'utf16le')), 'highestAvailable');
    assert.equal(executionLevelOf(Buffer.from(`\ufeff${manifest}`, 'utf16le')), 'highestAvailable');
  });

  it('finds none in a manifest without one, however long', () => {
    assert.equal(executionLevelOf(Buffer.from('<assembly/>')), undefined);
    assert.equal(
      executionLevelOf(Buffer.from('<requestedExecutionLevel '.repeat(5000))),
      undefined,
    );
  });
});
