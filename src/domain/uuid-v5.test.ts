import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { formatUuid } from './uuid.ts';
import { uuidV5 } from './uuid-v5.ts';

describe('a UUID of a name', () => {
  it('is that of the example in RFC 9562, appendix A.4', () => {
    const dns = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
    assert.equal(uuidV5(dns, 'www.example.com'), '2ed6657d-e927-568b-95e1-2665a8aea6a2');
  });

  it('is that of all bytes of a long name', () => {
    const name = 'ü'.repeat(2000);
    const dns = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
    const bytes = Buffer.concat([Buffer.from(dns.replaceAll('-', ''), 'hex'), Buffer.from(name)]);
    const digest = createHash('sha1').update(bytes).digest();
    assert.equal(uuidV5(dns, name), formatUuid(digest, 5));
  });
});
