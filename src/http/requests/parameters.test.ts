import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { validate } from './field-rules.ts';
import {
  pageQuery,
  reasonQuery,
  reportQuery,
  requiredReason,
  sha256Params,
  uuidParams,
} from './parameters.ts';

const ID = '017f22e2-79b0-7cc3-98c4-dc0c0c07398f';

describe('the report of a query', () => {
  const RULE = 'must be the id of a report (a UUID), given once.';

  it('is a UUID in any case', () => {
    assert.deepEqual(validate(reportQuery, { report: ID.toUpperCase() }), {
      value: { report: ID },
    });
  });

  it('is asked for where it is missing', () => {
    assert.deepEqual(validate(reportQuery, {}), { problems: [`report is missing; it ${RULE}`] });
  });

  for (const report of ['', 'x', `${ID} `, [ID, ID]]) {
    it(`is not ${JSON.stringify(report)}`, () => {
      assert.deepEqual(validate(reportQuery, { report }), { problems: [`report ${RULE}`] });
    });
  }

  it('may follow other preferences', () => {
    assert.deepEqual(validate(reportQuery, { report: ID, utm_source: 'x' }), {
      value: { report: ID },
    });
  });
});

describe('an address', () => {
  it('names a file by its SHA-256 in any case', () => {
    assert.deepEqual(validate(sha256Params, { sha256: 'AB'.repeat(32) }), {
      value: { sha256: 'ab'.repeat(32) },
    });
    assert.deepEqual(validate(sha256Params, { sha256: 'ab'.repeat(64) }), {
      problems: ['sha256 must be a SHA-256 of 64 hexadecimal digits.'],
    });
  });

  it('names other things by a UUID', () => {
    assert.deepEqual(validate(uuidParams, { id: ID }), { value: { id: ID } });
    assert.deepEqual(validate(uuidParams, { id: 'x' }), { problems: ['id must be a UUID.'] });
  });
});

describe('the reason of a removal', () => {
  it('is a text of 1 to 500 characters', () => {
    for (const reason of ['x', 'x'.repeat(500)])
      assert.deepEqual(validate(reasonQuery, { reason }), { value: { reason } });
    for (const reason of ['', 'x'.repeat(501), ['x']])
      assert.ok('problems' in validate(reasonQuery, { reason }));
  });

  it('may be missing in a call, and is asked for at a terminal', () => {
    assert.deepEqual(validate(reasonQuery, {}), { value: {} });
    assert.ok('problems' in validate(requiredReason, {}));
  });
});

describe('a page', () => {
  it('needs no parameter', () => {
    assert.deepEqual(validate(pageQuery, {}), { value: {} });
  });

  it('has from 1 to 1000 entries', () => {
    assert.deepEqual(validate(pageQuery, { limit: '1' }), { value: { limit: 1 } });
    assert.deepEqual(validate(pageQuery, { limit: '1000' }), { value: { limit: 1000 } });
  });

  for (const limit of ['', '0', '1001', '-1', '+1', '01', '1.0', '1e2', ' 1', '１', ['1', '2']]) {
    it(`has no limit of ${JSON.stringify(limit)}`, () => {
      assert.deepEqual(validate(pageQuery, { limit }), {
        problems: ['limit must be an integer from 1 to 1000.'],
      });
    });
  }

  it('begins before any entry there can be, and no number beyond', () => {
    const most = String(Number.MAX_SAFE_INTEGER);
    assert.deepEqual(validate(pageQuery, { before: most }), { value: { before: Number(most) } });
    assert.ok('problems' in validate(pageQuery, { before: '9007199254740992' }));
    assert.ok('problems' in validate(pageQuery, { before: '9'.repeat(17) }));
  });
});
