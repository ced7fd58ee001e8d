import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readAutonomousSystem, readCountry } from './origin.ts';

describe('the autonomous system of a record', () => {
  const records: readonly [title: string, record: unknown, expected: unknown][] = [
    [
      'of GeoLite2 and DB-IP',
      { autonomous_system_number: 64496, autonomous_system_organization: 'Example Net' },
      { number: 64496, name: 'Example Net' },
    ],
    ['of IPinfo', { asn: 'AS64497', as_name: 'Example' }, { number: 64497, name: 'Example' }],
    ['of a table of IPinfo with `name`', { asn: 'AS1', name: 'One' }, { number: 1, name: 'One' }],
    ['of IPLocate', { asn: 64498, org: 'Org', name: 'ORG-AS' }, { number: 64498, name: 'Org' }],
    ['with digits as text', { asn: '64499' }, { number: 64499 }],
    ['with the largest number', { asn: 4294967295 }, { number: 4294967295 }],
    [
      'with a name of control characters',
      { asn: 2, name: 'a\u0000\u202eb\n' },
      { number: 2, name: 'a b' },
    ],
    ['with an empty name', { asn: 3, name: ' \n' }, { number: 3 }],
  ];
  for (const [title, record, expected] of records)
    it(`is read from one ${title}`, () => assert.deepEqual(readAutonomousSystem(record), expected));

  it('has a name of at most 200 characters', () => {
    assert.equal(readAutonomousSystem({ asn: 1, name: 'x'.repeat(5000) })?.name?.length, 200);
  });

  const others = [null, undefined, 'AS1', [], {}, { asn: 0 }, { asn: -1 }, { asn: 1.5 }];
  const unreadable = [...others, { asn: 'AS0' }, { asn: 'AS4294967296' }, { asn: 'ASx' }];
  for (const record of unreadable)
    it(`is not read from ${JSON.stringify(record)}`, () =>
      assert.equal(readAutonomousSystem(record), undefined));

  it('is not read from inherited fields', () => {
    assert.equal(readAutonomousSystem(Object.create({ asn: 1 })), undefined);
  });
});

describe('the country of a record', () => {
  const records: readonly [title: string, record: unknown, expected: string | undefined][] = [
    ['of GeoLite2 and DB-IP', { country: { iso_code: 'NL', names: { en: 'x' } } }, 'NL'],
    ['of IPinfo Lite', { country: 'Netherlands', country_code: 'NL' }, 'NL'],
    ['of older tables of IPinfo', { country: 'nl' }, 'NL'],
    [
      'with the country of registration alone',
      { registered_country: { iso_code: 'NL' } },
      undefined,
    ],
    ['with another text', { country_code: 'NLD' }, undefined],
    ['that is no map', 'NL', undefined],
  ];
  for (const [title, record, expected] of records)
    it(`is read from one ${title}: ${expected}`, () => assert.equal(readCountry(record), expected));
});
