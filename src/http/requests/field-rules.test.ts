import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { Problem } from '../../domain/problem.ts';
import { compileValidator, field, parsed, strictObject, validate } from './field-rules.ts';

const schema = strictObject({
  port: field('a port', z.int().min(1)),
  name: field(
    'a name',
    parsed((text) => (text === '' ? undefined : text.toUpperCase())).optional(),
    { details: 'Not looked at', example: 'x' },
  ),
});

describe('a rule', () => {
  it('returns the parsed value', () => {
    assert.deepEqual(validate(schema, { port: 1, name: 'a' }), { value: { port: 1, name: 'A' } });
  });

  it('is quoted with the name of the member that breaks it', () => {
    assert.deepEqual(validate(schema, { port: 0, name: '' }), {
      problems: ['port must be a port.', 'name must be a name.'],
    });
  });

  it('is quoted as missing if the member is absent', () => {
    assert.deepEqual(validate(schema, {}), { problems: ['port is missing; it must be a port.'] });
  });

  it('is quoted once, however often it is broken', () => {
    const list = strictObject({ ports: field('a list of ports', z.array(z.int())) });
    assert.deepEqual(validate(list, { ports: ['a', 'b', 'c'] }), {
      problems: ['ports must be a list of ports.'],
    });
  });

  it('is found in an optional body as well', () => {
    assert.deepEqual(validate(schema.optional(), { port: 0 }), {
      problems: ['port must be a port.'],
    });
    assert.deepEqual(validate(schema.optional(), undefined), { value: undefined });
  });

  it('is part of the description of the member', () => {
    const { description, examples } = schema.shape.name.meta() ?? {};
    assert.equal(description, 'a name. Not looked at');
    assert.deepEqual(examples, ['x']);
    assert.equal(schema.shape.port.meta()?.description, 'a port');
  });

  it('that is absent leaves the message of zod', () => {
    const bare = z.object({ port: z.int('must be whole') });
    assert.deepEqual(validate(bare, { port: 0.5 }), { problems: ['must be whole'] });
  });
});

describe('an unknown member', () => {
  it('is refused by name, all of them in one sentence', () => {
    assert.deepEqual(validate(schema, { port: 1, prot: 2, nmae: 3 }), {
      problems: ['"prot", "nmae" is not known here; the members are port, name.'],
    });
  });

  it('is named as JSON, truncated', () => {
    const checked = validate(schema, { port: 1, [`\n${'x'.repeat(1000)}`]: 1 });
    assert.deepEqual(checked, {
      problems: [`"\\n${'x'.repeat(63)}" is not known here; the members are port, name.`],
    });
  });
});

describe('the validator of a route', () => {
  it('passes the value on', () => {
    assert.deepEqual(compileValidator({ schema, httpPart: 'body' })({ port: 1 }), {
      value: { port: 1 },
    });
  });

  it('accepts a missing body if the route allows it', () => {
    const validate = compileValidator({ schema: schema.optional(), httpPart: 'body' });
    assert.deepEqual(validate(null), { value: undefined });
  });

  for (const [httpPart, code] of [
    ['body', 'invalid_body'],
    ['querystring', 'invalid_query'],
    ['params', 'invalid_query'],
  ] as const) {
    it(`refuses a wrong ${httpPart} as ${code}`, () => {
      const answer = compileValidator({ schema, httpPart })({ port: 0 });
      assert.ok('error' in answer && answer.error instanceof Problem);
      assert.equal(answer.error.code, code);
      assert.equal(answer.error.message, 'port must be a port.');
    });
  }
});
