import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { always } from '../../../test/always.ts';
import {
  accountBody,
  accountChanges,
  parseInstant,
  serviceBody,
  serviceChanges,
  tokenBody,
} from './admin-fields.ts';
import { validate } from './field-rules.ts';

/** The members that the problems name. */
function wrong(schema: Parameters<typeof validate>[0], body: unknown): string[] {
  const checked = validate(schema, body);
  return 'problems' in checked ? checked.problems.map((text) => text.split(' ')[0] ?? '') : [];
}

describe('a new service', () => {
  it('needs only a slug', () => {
    assert.deepEqual(validate(serviceBody, { slug: 'ply' }), { value: { slug: 'ply' } });
  });

  it('may have all other fields', () => {
    const body = {
      slug: 'ply',
      name: 'Ply Tunnels',
      confidenceScale: 10,
      hosts: ['*.PLY.example'],
      networks: ['2001:DB8::/32'],
    };
    assert.deepEqual(validate(serviceBody, body), {
      value: { ...body, hosts: ['*.ply.example'], networks: ['2001:db8::/32'] },
    });
  });

  it('is refused with all problems at once', () => {
    const body = {
      slug: 'all',
      name: '',
      confidenceScale: 0,
      hosts: ['a b'],
      networks: ['1.2.3.4'],
      x: 1,
    };
    const members = ['slug', 'name', 'confidenceScale', 'hosts', 'networks', '"x"'];
    assert.deepEqual(wrong(serviceBody, body), members);
  });

  it('has a scale of 1 to 100', () => {
    for (const confidenceScale of [1, 100])
      assert.deepEqual(wrong(serviceChanges, { confidenceScale }), []);
    for (const confidenceScale of [0, 101, 1.5, '10', null])
      assert.deepEqual(wrong(serviceChanges, { confidenceScale }), ['confidenceScale']);
  });

  it('cannot get another slug later', () => {
    assert.deepEqual(wrong(serviceChanges, { slug: 'other' }), ['"slug"']);
  });
});

describe('a new account', () => {
  it('needs a name only', () => {
    assert.deepEqual(validate(accountBody, { name: 'alice' }), { value: { name: 'alice' } });
  });

  it('may have all other fields', () => {
    const body = {
      name: 'alice',
      roles: ['researcher', 'admin'],
      services: ['ply'],
      quota: { limit: null, period: 'month' },
      expiresAt: '2027-01-01T00:00:00Z',
    };
    assert.deepEqual(validate(accountBody, body), {
      value: { ...body, expiresAt: new Date('2027-01-01T00:00:00Z') },
    });
  });

  it('gets the default limit or period if only the other is given', () => {
    assert.deepEqual(validate(accountBody, { name: 'a', quota: { limit: 5 } }), {
      value: { name: 'a', quota: { limit: 5, period: 'day' } },
    });
    assert.deepEqual(validate(accountBody, { name: 'a', quota: { period: 'month' } }), {
      value: { name: 'a', quota: { limit: 1000, period: 'month' } },
    });
  });

  it('is refused with all problems at once', () => {
    const body = {
      name: ' ',
      roles: ['root'],
      services: 'ply',
      quota: { limit: -1 },
      expiresAt: 'tomorrow',
      topUp: 1,
    };
    assert.deepEqual(wrong(accountBody, body).sort(), [
      '"topUp"',
      'expiresAt',
      'name',
      'quota.limit',
      'roles',
      'services',
    ]);
  });

  for (const [quota, member] of [
    [null, 'quota'],
    [[], 'quota'],
    [{ limit: 0.5 }, 'quota.limit'],
    [{ limit: 1_000_000_001 }, 'quota.limit'],
    [{ limit: '5' }, 'quota.limit'],
    [{ period: 'week' }, 'quota.period'],
    [{ used: 0 }, 'quota'],
  ] as const) {
    it(`has no quota of ${JSON.stringify(quota)}`, () => {
      assert.deepEqual(wrong(accountBody, { name: 'a', quota }), [member]);
      assert.deepEqual(wrong(accountChanges, { quota }), [member]);
    });
  }
});

describe('a change of an account', () => {
  it('may be empty', () => {
    assert.deepEqual(validate(accountChanges, {}), { value: {} });
  });

  it('may remove the expiry', () => {
    assert.deepEqual(validate(accountChanges, { expiresAt: null }), { value: { expiresAt: null } });
  });

  it('leaves the part of a quota that is not named', () => {
    assert.deepEqual(validate(accountChanges, { quota: { limit: 5 } }), {
      value: { quota: { limit: 5 } },
    });
  });

  it('tops up by at least one unit', () => {
    assert.deepEqual(wrong(accountChanges, { topUp: 1 }), []);
    for (const topUp of [0, -1, 1.5, 1e12, null])
      assert.deepEqual(wrong(accountChanges, { topUp }), ['topUp']);
  });

  it('does not change the name, which reports contain', () => {
    assert.deepEqual(wrong(accountChanges, { name: 'bob' }), ['"name"']);
  });

  it('disables with true and enables with false', () => {
    assert.deepEqual(validate(accountChanges, { disabled: true }), { value: { disabled: true } });
    assert.deepEqual(wrong(accountChanges, { disabled: 1 }), ['disabled']);
  });
});

describe('a new token', () => {
  it('needs no body', () => {
    assert.deepEqual(validate(tokenBody, undefined), { value: undefined });
    assert.deepEqual(validate(tokenBody, {}), { value: {} });
  });

  it('may have a label, also an empty one', () => {
    assert.deepEqual(wrong(tokenBody, { label: 'my laptop' }), []);
    assert.deepEqual(wrong(tokenBody, { label: '' }), []);
  });

  it('has no label that is invisible, too long or no text', () => {
    for (const label of ['a\nb', '\u202e', 'x'.repeat(65), 1])
      assert.deepEqual(wrong(tokenBody, { label }), ['label']);
  });

  it('may expire', () => {
    assert.deepEqual(validate(tokenBody, { expiresAt: '2027-01-01T00:00:00Z' }), {
      value: { expiresAt: new Date('2027-01-01T00:00:00Z') },
    });
  });
});

describe('a time in a request', () => {
  const moment = fc.date({
    min: new Date(0),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  });

  it('is parsed as it is formatted', () => {
    always(
      fc.property(moment, (date) => {
        assert.deepEqual(parseInstant(date.toISOString()), date);
      }),
    );
  });

  it('may omit seconds, and have another zone', () => {
    const expected = new Date('2026-08-26T10:00:00Z');
    for (const text of ['2026-08-26T10:00Z', '2026-08-26T12:00:00+02:00', '2026-08-26T04:30-05:30'])
      assert.deepEqual(parseInstant(text), expected, text);
  });

  const none = [
    '',
    '2026-08-26',
    '2026-08-26 10:00:00Z',
    '2026-08-26T10:00:00',
    '2026-02-30T00:00:00Z',
    '2027-02-29T00:00:00Z',
    '2026-04-31T23:00:00-05:00',
    '2026-13-01T00:00:00Z',
    '2026-00-10T00:00:00Z',
    '2026-01-01T25:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T00:00:00+99:99',
    '+012026-01-01T00:00:00Z',
    '9999-12-31T23:59:59-23:59',
    '0000-01-01T00:00:00+23:59',
    '1767225600',
  ];
  for (const text of none) {
    it(`is not ${JSON.stringify(text)}`, () => assert.equal(parseInstant(text), undefined));
  }
});
