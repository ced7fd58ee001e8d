import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { acceptRefusal, isSubmittedType } from './media-type.ts';

describe('Accept of a TAXII client', () => {
  for (const accept of [
    undefined,
    '',
    '*/*',
    'application/taxii+json;version=2.1',
    'application/taxii+json; version=2.1',
    'application/taxii+json; version="2.1"',
    'application/taxii+json',
    'application/taxii+json;version=2.1;q=0.8, application/json;q=0.2',
    'application/stix+json;version=2.1',
    'application/json',
    'APPLICATION/JSON',
    'text/html, application/*;q=0.1',
    'application/vnd.oasis.taxii+json; version=2.0, application/taxii+json;version=2.1',
  ]) {
    it(`may be ${accept}`, () => assert.equal(acceptRefusal(accept), undefined));
  }

  for (const accept of [
    'text/html',
    'application/taxii+json;version=2.0',
    'application/vnd.oasis.taxii+json; version=2.0',
    'application/json;q=0',
  ]) {
    it(`may not be ${accept}`, () => assert.equal(acceptRefusal(accept)?.code, 'not_acceptable'));
  }
});

describe('the type of a submission', () => {
  it('is that of TAXII or STIX, with this version or none', () => {
    for (const type of [
      'application/taxii+json;version=2.1',
      'application/stix+json;version=2.1',
      'application/taxii+json',
      'Application/TAXII+json; Version=2.1; charset=utf-8',
    ])
      assert.equal(isSubmittedType(type), true, type);
    for (const type of [undefined, 'application/json', 'application/taxii+json;version=2.0'])
      assert.equal(isSubmittedType(type), false, String(type));
  });
});
