import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nameInput, nameProblem } from './input-names.ts';

const NAMES = {
  confidenceScale: '--scale',
  'mail.to': '--mail-to',
  'quota.limit': { name: '--quota', rule: 'a whole number or "unlimited"' },
  from: '--from',
  to: '--to',
};

describe('an error about input', () => {
  const named = (path: string, problem: string) =>
    nameInput({ path: path === '' ? [] : path.split('.'), problem }, NAMES);

  it('names the option instead of the member', () => {
    assert.equal(named('confidenceScale', 'confidenceScale must be x.'), '--scale must be x.');
    assert.equal(named('mail.to', 'mail.to is missing.'), '--mail-to is missing.');
  });

  it('has the rule of the option if it has one', () => {
    const expected = '--quota must be a whole number or "unlimited".';
    assert.equal(named('quota.limit', 'quota must be {limit, period}.'), expected);
  });

  it('names all options of a problem between several', () => {
    assert.equal(named('', 'from must not be after to.'), '--from must not be after --to.');
  });

  it('stays as it is for an unknown member', () => {
    assert.equal(named('hosts.0', 'hosts must be x.'), 'hosts must be x.');
    assert.equal(named('constructor', 'constructor must be x.'), 'constructor must be x.');
  });

  it('names the first word of the error of an operation', () => {
    const problem = 'to must not be before from.';
    assert.equal(nameProblem(problem, NAMES), '--to must not be before from.');
  });
});
