import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RapsheetError } from '../../../src/client/error.ts';
import { fieldErrors } from './field-errors.ts';

const NAMES = ['slug', 'hosts', 'confidenceScale', 'quota', 'rate', 'rate.burst'] as const;

function refusal(message: string, code = 'invalid_body'): RapsheetError {
  return new RapsheetError(message, { code, status: 400 });
}

describe('the message of a refusal', () => {
  it('is divided among the fields that it names', () => {
    const error = refusal(
      'slug must be 1 to 63 letters. hosts must be a list of names, each with or without "*." before it. confidenceScale must be an integer from 1 to 100.',
    );
    assert.deepEqual(fieldErrors(error, NAMES), {
      fields: {
        slug: 'Must be 1 to 63 letters.',
        hosts: 'Must be a list of names, each with or without "*." before it.',
        confidenceScale: 'Must be a whole number from 1 to 100.',
      },
      other: undefined,
    });
  });

  it('is shown at the field of its code, or at none', () => {
    const codes = { service_exists: 'slug' } as const;
    const exists = refusal('A service with this name already exists.', 'service_exists');
    assert.deepEqual(fieldErrors<'slug'>(exists, ['slug'], { codes }), {
      fields: { slug: 'A service with this name already exists.' },
      other: undefined,
    });
    const other = refusal('owner must be known.');
    assert.deepEqual(fieldErrors(other, NAMES), {
      fields: {},
      other: 'owner must be known.',
    });
    assert.deepEqual(fieldErrors(null, NAMES), { fields: {}, other: undefined });
  });

  it('stands at the field of a nested member, without the terms of JSON', () => {
    const error = refusal(
      'quota.limit must be an integer from 0 to 9, or null for no limit. rate.burst must be an integer. rate.perMinute is missing; it must be an integer.',
    );
    assert.deepEqual(fieldErrors(error, NAMES).fields, {
      quota: 'Must be a whole number from 0 to 9, or empty for no limit.',
      'rate.burst': 'Must be a whole number.',
      rate: 'Must be a whole number.',
    });
  });

  it('gives way to the rule of the form, unless it says more', () => {
    const rules = { hosts: 'Each line must be a host name.' };
    const wrong = refusal('hosts must be a list of names.');
    assert.equal(fieldErrors(wrong, NAMES, { rules }).fields.hosts, rules.hosts);
    const suffix = refusal('hosts must not have *.co.uk: it is a public suffix. Declare others.');
    assert.equal(
      fieldErrors(suffix, NAMES, { rules }).fields.hosts,
      'Must not have *.co.uk: it is a public suffix. Declare others.',
    );
  });

  it('blames no field if the server does not answer or the session has ended', () => {
    const lost = new RapsheetError('fetch failed', { code: 'no_answer' });
    assert.deepEqual(fieldErrors(lost, NAMES), {
      fields: {},
      other: 'The server does not answer. It may be restarting, or the network is down.',
    });
    const ended = new RapsheetError('Send a token.', { code: 'token_missing', status: 401 });
    assert.match(fieldErrors(ended, NAMES).other ?? '', /^Your session has ended\./);
  });
});
