import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeInstallerName, isInstallerName } from './names.ts';

describe('a stream name of an installer', () => {
  it('is decoded, two letters from each unit', () => {
    assert.equal(decodeInstallerName('\u4840\u3f3f\u4577\u446c\u3b6a\u45e4\u4824'), '!_StringData');
  });

  it('is unchanged if it is not encoded', () => {
    assert.equal(decodeInstallerName('\x05SummaryInformation'), '\x05SummaryInformation');
    assert.equal(isInstallerName('WordDocument'), false);
  });

  it('may be a single letter', () => {
    assert.equal(decodeInstallerName('\u4800\u483f'), '0_');
  });
});
