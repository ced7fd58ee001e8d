import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatC2Address } from '../../domain/reports/c2-address.ts';
import { addressOf } from './c2s.ts';
import type { Endpoint } from './extractor.ts';

function read(endpoint: Partial<Endpoint>): string | undefined {
  const address = addressOf({ protocol: 'tcp', usage: 'c2', ...endpoint });
  return address && formatC2Address(address);
}

describe('the address of an endpoint', () => {
  it('is its host and its port', () => {
    assert.equal(read({ host: 'C2.example.invalid', port: 6606 }), 'c2.example.invalid:6606');
    assert.equal(read({ host: '2001:db8::1', port: 80 }), '[2001:db8::1]:80');
    assert.equal(read({ host: 'c2.example.invalid.', port: 80 }), 'c2.example.invalid:80');
    assert.equal(read({ host: 'c2.example.invalid..', port: 80 }), undefined);
  });

  it('is undefined without a port, unless the protocol has a default', () => {
    assert.equal(read({ host: 'c2.example.invalid' }), undefined);
    assert.equal(read({ host: 'c2.example.invalid', protocol: 'https' }), 'c2.example.invalid:443');
    assert.equal(read({ port: 80 }), undefined);
  });

  const urls: Readonly<Record<string, string | undefined>> = {
    'http://c2.example.invalid/gate.php': 'c2.example.invalid:80',
    'HTTPS://C2.example.invalid': 'c2.example.invalid:443',
    'https://user:pass@c2.example.invalid:8443/x?y#z': 'c2.example.invalid:8443',
    'http://[2001:db8::1]/': '[2001:db8::1]:80',
    'http://[2001:db8::1]:81/': '[2001:db8::1]:81',
    'http://c2.example.invalid./gate.php': 'c2.example.invalid:80',
    'http://c2.example.invalid.:81/': 'c2.example.invalid:81',
    'http://c2.example.invalid../': undefined,
    'net.tcp://192.0.2.7:4782/': '192.0.2.7:4782',
    'net.tcp://192.0.2.7/': undefined,
    'http://c2.example.invalid\\@other.invalid/': 'c2.example.invalid:80',
    'http://0x7f.1/': undefined,
    'http://2130706433/': undefined,
    'http://%65vil.invalid/': undefined,
    'http://evil[.]invalid/': undefined,
    'http://evil[.]invalid:80/': undefined,
    'http://c2.example.invalid:99999/': undefined,
    'http:///gate': undefined,
    'c2.example.invalid:80': undefined,
    '': undefined,
  };
  for (const [url, expected] of Object.entries(urls)) {
    it(`of ${url} is ${expected}`, () => assert.equal(read({ url }), expected));
  }

  it('uses the separate port of a URL without one', () => {
    assert.equal(read({ url: 'tcp://192.0.2.7', port: 99 }), '192.0.2.7:99');
  });

  it('is undefined for an overlong text', () => {
    assert.equal(read({ url: `http://${'a'.repeat(2_000_000)}/` }), undefined);
    assert.equal(read({ host: 'a'.repeat(2_000_000), port: 1 }), undefined);
  });
});
