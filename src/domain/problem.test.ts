import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { invalid, PROBLEMS, Problem, type ProblemCode } from './problem.ts';

const codes = Object.keys(PROBLEMS) as ProblemCode[];

describe('a problem', () => {
  it('has the kind and the text of its code', () => {
    for (const code of codes) {
      const problem = new Problem(code);
      assert.equal(problem.code, code);
      assert.equal(problem.kind, PROBLEMS[code].kind);
      assert.equal(problem.message, PROBLEMS[code].text);
    }
  });

  it('is an error, so that it has a stack for the log', () => {
    assert.ok(new Problem('internal') instanceof Error);
  });

  it('carries its cause', () => {
    const cause = new Error('disk full');
    assert.equal(new Problem('unavailable', { cause }).cause, cause);
  });

  it('inserts its details into its text', () => {
    const problem = new Problem('body_too_large', { parameters: { limit: 65_536 } });
    assert.equal(problem.message, 'The body is too large: the limit is 65536 bytes.');
  });

  it('does not replace placeholders inside the details', () => {
    const parameters = { problems: 'a {limit} $& $1 {problems}', limit: 1 };
    assert.equal(new Problem('invalid_body', { parameters }).message, parameters.problems);
  });

  it('has a text of bounded length', () => {
    const { message } = invalid('invalid_body', Array<string>(1000).fill('It is wrong.'));
    assert.ok(message.length <= 4001);
    assert.match(message, /^It is wrong\..*…$/);
  });

  it('lists all problems at once', () => {
    const problem = invalid('invalid_query', ['limit must be 1.', 'before must be 2.']);
    assert.equal(problem.code, 'invalid_query');
    assert.equal(problem.kind, 'invalid');
    assert.equal(problem.message, 'limit must be 1. before must be 2.');
  });
});

describe('the table of problems', () => {
  it('names each by a lower-case word that programs can rely on', () => {
    for (const code of codes) assert.match(code, /^[a-z]+(?:_[a-z]+)*$/);
  });

  it('has a sentence for people for each', () => {
    for (const code of codes) assert.match(PROBLEMS[code].text, /^(?:\{problems\}|[A-Z].*\.)$/);
  });
});
