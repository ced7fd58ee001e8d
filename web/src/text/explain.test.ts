import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RapsheetError } from '../../../src/client/error.ts';
import { explain } from './explain.ts';

const titleOf = (code: string, status?: number) =>
  explain(new RapsheetError('why', { code, ...(status !== undefined && { status }) })).title;

test('says what happened in the words of the reader', () => {
  assert.equal(titleOf('no_answer'), 'The server does not answer');
  assert.equal(titleOf('quota_exhausted', 429), 'No units are left');
  assert.equal(titleOf('token_missing', 401), 'Your session has ended');
  assert.equal(titleOf('session_expired', 401), 'Your session has ended');
  assert.equal(titleOf('token_invalid', 401), 'The server refused this');
  assert.equal(titleOf('missing_role', 403), 'You may not do this');
  assert.equal(titleOf('unknown_report', 404), 'Not found');
  assert.equal(titleOf('invalid_body', 400), 'The server refused this');
  assert.equal(titleOf('internal_error', 500), 'The server failed');
  assert.equal(explain(new TypeError('x is undefined')).title, 'The page failed');
});

test('speaks of units, not of lookups or calls', () => {
  const textOf = (code: string, message: string) =>
    explain(new RapsheetError(message, { code, status: 429 })).text;
  assert.equal(
    textOf('quota_insufficient', 'This call needs 3 lookups, but 1 are left. None was charged.'),
    'This call needs 3 units, but 1 are left. None was charged.',
  );
  assert.match(
    textOf('quota_exhausted', 'No lookups are left. GET /api/balance …'),
    /^Your account/,
  );
});

test('tells what trying again cannot change', () => {
  const isFinal = (status?: number) =>
    explain(new RapsheetError('why', { code: 'c', ...(status !== undefined && { status }) }))
      .isFinal === true;
  assert.deepEqual([400, 404].map(isFinal), [true, true]);
  assert.deepEqual([undefined, 409, 429, 500, 503].map(isFinal), Array(5).fill(false));
});

test('tells the reason of the server and the id of the request', () => {
  const error = new RapsheetError('The slug is taken.', {
    code: 'service_exists',
    status: 409,
    requestId: 'r-1',
  });
  const { text, requestId } = explain(error);
  assert.equal(text, 'The slug is taken.');
  assert.equal(requestId, 'r-1');
});
