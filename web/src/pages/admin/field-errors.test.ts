import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RapsheetError } from '../../../../src/client/error.ts';
import { fieldErrors } from './field-errors.ts';

const NAMES = ['slug', 'hosts', 'confidenceScale'] as const;

function refusal(message: string, code = 'invalid_body'): RapsheetError {
  return new RapsheetError(message, { code, status: 400 });
}

describe('the message of a refusal', () => {
  it('is divided among the fields that it names', () => {
    const error = refusal(
      'slug must be 1 to 63 letters. hosts must be a list of names, each with or without "*." before it. confidenceScale must be an integer from 1 to 100.',
    );
    assert.deepEqual(fieldErrors(error, error.message, NAMES), {
      fields: {
        slug: 'Must be 1 to 63 letters.',
        hosts: 'Must be a list of names, each with or without "*." before it.',
        confidenceScale: 'Must be an integer from 1 to 100.',
      },
      other: undefined,
    });
  });

  it('is shown at the field of its code, or at none', () => {
    const codes = { service_exists: 'slug' } as const;
    const exists = refusal('A service with this name already exists.', 'service_exists');
    assert.deepEqual(fieldErrors<'slug'>(exists, exists.message, ['slug'], codes), {
      fields: { slug: 'A service with this name already exists.' },
      other: undefined,
    });
    const other = refusal('owner must be known.');
    assert.deepEqual(fieldErrors(other, other.message, NAMES), {
      fields: {},
      other: 'owner must be known.',
    });
    assert.deepEqual(fieldErrors(null, '', NAMES), { fields: {}, other: undefined });
  });
});
