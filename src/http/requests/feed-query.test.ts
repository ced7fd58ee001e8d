import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changesQuery, filterBody, listQuery, parseHost, toFilter } from './feed-query.ts';
import { validate } from './field-rules.ts';

const SHA256 = 'AB'.repeat(32);

function problemsOf(value: unknown): readonly string[] {
  const checked = validate(listQuery, value);
  return 'problems' in checked ? checked.problems : [];
}

function filterOf(value: unknown) {
  const checked = validate(listQuery, value);
  assert.ok('value' in checked, JSON.stringify(checked));
  const { limit: _, cursor: __, order: ___, count: ____, ...filters } = checked.value;
  return toFilter(filters);
}

describe('the query of a list', () => {
  it('becomes a filter of domain values', () => {
    const filter = filterOf({
      created_after: '2026-08-26T10:00:00Z',
      created_before: '2026-08-27T10:00:00.500Z',
      name: 'ASYNCRAT',
      tag: ['rat', 'asyncrat'],
      c2: 'Evil[.]example:4444',
      hash: SHA256,
      reporter: 'alice',
      min_confidence: '0',
      confirmation: 'confirmed',
      misrouted: 'true',
      status: 'expired',
    });
    assert.deepEqual(filter, {
      createdAfter: new Date('2026-08-26T10:00:00Z'),
      createdBefore: new Date('2026-08-27T10:00:00.500Z'),
      name: 'ASYNCRAT',
      tags: ['rat', 'asyncrat'],
      host: 'evil.example',
      domain: undefined,
      port: 4444,
      sha256: SHA256.toLowerCase(),
      reporter: 'alice',
      minConfidence: 0,
      confirmation: 'confirmed',
      misrouted: true,
      status: 'expired',
    });
  });

  it('takes one tag, a host alone and a port alone', () => {
    const filter = filterOf({ tag: 'rat', host: 'EVIL.example', port: '65535' });
    assert.deepEqual(filter.tags, ['rat']);
    assert.equal(filter.host, 'evil.example');
    assert.equal(filter.port, 65_535);
  });

  for (const [name, values] of [
    ['limit', ['0', '-1', '1001', '1.5', '1e2', '', ' 5', '05', 'x', ['1', '2']]],
    ['order', ['', 'ASC', 'newest']],
    ['count', ['1', 'yes', '']],
    ['created_after', ['2026-08-26', 'yesterday', '2026-02-30T00:00:00Z', '']],
    ['created_before', ['1756202400', '2026-08-26 10:00:00']],
    ['tag', ['', 'x'.repeat(65), '\u200b', [], Array.from({ length: 33 }, () => 'x')]],
    ['host', ['', 'a b', 'evil.example:80', '1.2.3', '*.example', 'evil.example.']],
    ['port', ['0', '65536', '-1', '080', '']],
    ['c2', ['evil.example', ':80', 'evil.example:0', '']],
    ['hash', ['ab', 'zz'.repeat(32), SHA256 + SHA256, '']],
    ['reporter', ['', ' alice', 'x'.repeat(65)]],
    ['min_confidence', ['-1', '101', '1.5', '']],
    ['confirmation', ['', 'yes', 'CONFIRMED', ['confirmed', 'unknown']]],
    ['misrouted', ['', '1', 'yes']],
    ['status', ['', 'closed', 'OPEN', ['open', 'rejected']]],
    ['cursor', [['a', 'b']]],
  ] as const) {
    for (const value of values)
      it(`refuses ${name}=${JSON.stringify(value).slice(0, 40)} by name`, () => {
        const problems = problemsOf({ [name]: value });
        assert.equal(problems.length, 1);
        if (name !== 'cursor') assert.match(problems[0] ?? '', new RegExp(`^${name} must be `));
      });
  }

  it('refuses unknown parameters by name, and lists the known ones', () => {
    const [problem = ''] = problemsOf({ tags: 'rat' });
    assert.match(problem, /^"tags" is not known here; the members are limit, cursor, order, /);
  });

  it('reports all problems at once', () => {
    assert.equal(problemsOf({ limit: '0', port: '0', x: '1' }).length, 3);
  });

  it('refuses c2 together with host or port', () => {
    for (const other of [{ host: 'evil.example' }, { port: '80' }])
      assert.deepEqual(problemsOf({ c2: 'evil.example:80', ...other }), [
        'c2 holds host and port: it cannot be combined with host or port.',
      ]);
  });
});

describe('a filter in a body', () => {
  it('has numbers where numbers are meant', () => {
    assert.ok('value' in validate(filterBody, { port: 80, min_confidence: 5, tag: ['a'] }));
    assert.ok('problems' in validate(filterBody, { port: '80' }));
  });

  it('must have at least one filter', () => {
    const checked = validate(filterBody, {});
    assert.ok('problems' in checked);
    assert.match(checked.problems[0] ?? '', /^filter must have at least one of created_after, /);
  });
});

describe('a host to look for', () => {
  for (const [text, host] of [
    ['Evil[.]Example', 'evil.example'],
    ['2001:DB8::0', '2001:db8::'],
    ['[2001:db8::]', '2001:db8::'],
    ['192.0.2.1', '192.0.2.1'],
    ['evil.example:80', undefined],
    ['', undefined],
  ] as const)
    it(`reads ${text} as ${host}`, () => assert.equal(parseHost(text), host));
});

describe('the start of changes', () => {
  it('is a number of the feed or its head', () => {
    for (const [since, value] of [
      ['0', 0],
      ['17', 17],
      ['head', 'head'],
    ]) {
      const checked = validate(changesQuery, { since });
      assert.equal('value' in checked && checked.value.since, value);
    }
  });

  for (const since of ['-1', '1.5', '', 'x', '1e3', '99999999999999999', '0x10', '01'])
    it(`is not ${since}`, () => assert.ok('problems' in validate(changesQuery, { since })));
});
