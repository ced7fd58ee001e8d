import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Problem } from '../../domain/problem.ts';
import { asProblem, isLostConnection, isRetryable } from './failures.ts';

const ofSystem = (code: string) => Object.assign(new Error(`write ${code}`), { code });
const ofServer = (code: string) =>
  Object.assign(new Error('sent by the server'), { code, severity: 'ERROR' });

describe('a failure of PostgreSQL', () => {
  for (const cause of [
    ofSystem('EPIPE'),
    ofSystem('ECONNRESET'),
    ofSystem('ECONNREFUSED'),
    new Error('Client was closed and is not queryable'),
    new Error('timeout expired'),
    new Error('Connection terminated unexpectedly'),
    ofServer('57P01'),
    ofServer('08006'),
    ofServer('25P03'),
    ofServer('25P04'),
  ]) {
    it(`is a lost connection: ${cause.message} ${'code' in cause ? cause.code : ''}`, () => {
      assert.equal(isLostConnection(cause), true);
      const problem = asProblem(cause);
      assert.ok(problem instanceof Problem && problem.kind === 'unavailable');
    });
  }

  it('is retried after a conflict with another transaction', () => {
    for (const code of ['40001', '40P01', '23505', '25P02'])
      assert.equal(isRetryable(ofServer(code)), true);
    assert.equal(isRetryable(ofServer('42601')), false);
  });

  it('is an outage if authorization fails or the database does not exist', () => {
    for (const code of ['28P01', '28000', '3D000']) {
      const problem = asProblem(ofServer(code));
      assert.ok(problem instanceof Problem && problem.kind === 'unavailable', code);
    }
  });

  it('stays unchanged if our statement is wrong', () => {
    const cause = ofServer('42601');
    assert.equal(isLostConnection(cause), false);
    assert.equal(asProblem(cause), cause);
  });
});
