import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { statusBody, statusesBody } from './desk-fields.ts';
import { validate } from './field-rules.ts';

const ID = '0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d80';

function problemsOf(schema: typeof statusBody | typeof statusesBody, value: unknown) {
  const checked = validate(schema, value);
  return 'problems' in checked ? checked.problems : [];
}

describe('a status change', () => {
  for (const body of [
    { status: 'open' },
    { status: 'acknowledged', note: 'We look into it.\nTomorrow.' },
    { status: 'actioned' },
    { status: 'actioned', reason: 'taken_down' },
    { status: 'rejected', reason: 'not_ours', note: 'x'.repeat(1000) },
  ])
    it(`may be ${JSON.stringify(body).slice(0, 60)}`, () =>
      assert.deepEqual(problemsOf(statusBody, body), []));

  for (const [body, problem] of [
    [{}, /^status is missing; it must be one of open, acknowledged, actioned, rejected\.$/],
    [{ status: 'expired' }, /^status must be one of /],
    [{ status: 'open', reason: 'taken_down' }, /^reason: the status "open" has no reasons/],
    [{ status: 'actioned', reason: 'not_ours' }, /^reason: for the status "actioned" it must be /],
    [{ status: 'rejected', reason: '' }, /^reason: for the status "rejected" it must be /],
    [{ status: 'open', reason: 1 }, /^reason must be /],
    [{ status: 'open', note: '' }, /^note must be /],
    [{ status: 'open', note: ' \n ' }, /^note must be /],
    [{ status: 'open', note: 'a\u202eb' }, /^note must be /],
    [{ status: 'open', note: 'x'.repeat(1001) }, /^note must be /],
    [{ status: 'open', why: 'x' }, /^"why" is not known here/],
    [[], /^It must be a JSON object\.$/],
    [undefined, /^It must be a JSON object\.$/],
  ] as const)
    it(`may not be ${JSON.stringify(body)?.slice(0, 60)}`, () =>
      assert.match(problemsOf(statusBody, body)[0] ?? '', problem));
});

describe('a status change of many reports', () => {
  it('is for ids or for a filter', () => {
    for (const which of [{ ids: [ID.toUpperCase()] }, { filter: { tag: 'rat' } }])
      assert.deepEqual(problemsOf(statusesBody, { ...which, status: 'open' }), []);
  });

  for (const [body, problem] of [
    [{}, /^Either ids or filter must be present, but not both\.$/],
    [{ ids: [ID], filter: { tag: 'x' } }, /^Either ids or filter must be present/],
    [{ ids: [] }, /^ids must be a list of 1 to 10000 ids/],
    [{ ids: ['x'] }, /^ids must be a list of 1 to 10000 ids/],
    [{ ids: Array.from({ length: 10_001 }, () => ID) }, /^ids must be a list of 1 to 10000 ids/],
    [{ filter: {} }, /^filter must have at least one of /],
    [{ filter: 'x' }, /^filter must be a JSON object\.$/],
    [{ filter: { port: 0 } }, /^filter\.port must be an integer from 1 to 65535\.$/],
    [{ filter: { limit: 1 } }, /^"limit" is not known here; the members are created_after, /],
    [{ filter: { c2: 'evil.example:1', port: 1 } }, /^c2 holds host and port/],
  ] as const)
    it(`is not for ${JSON.stringify(body).slice(0, 60)}`, () =>
      assert.match(problemsOf(statusesBody, { ...body, status: 'open' })[0] ?? '', problem));
});
