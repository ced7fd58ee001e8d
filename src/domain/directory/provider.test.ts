import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseProvider } from './provider.ts';

const fact = (value: unknown, others: object = {}) => ({
  value,
  source: 'https://provider.example/abuse',
  date: '2026-01-31',
  ...others,
});
const whole = {
  name: 'Ply',
  kind: 'tunnel',
  suffixes: [fact('ply.example')],
  networks: [fact('203.0.113.0/24'), fact('2001:db8::/32')],
  mail: fact('abuse@ply.example'),
  form: fact('https://ply.example/report'),
  feed: fact('https://rapsheet.example/feed/ply'),
};
const problemsOf = (json: unknown) => {
  const parsed = parseProvider(json);
  return parsed.kind === 'wrong' ? parsed.problems : [];
};

describe('a provider of the directory', () => {
  it('has facts, each with its source and its day', () => {
    const parsed = parseProvider(whole);
    assert.ok(parsed.kind === 'provider');
    const { name, kind, suffixes, networks, mail, form, feed } = parsed.provider;
    assert.deepEqual([name, kind], ['Ply', 'tunnel']);
    assert.deepEqual(suffixes, [
      {
        value: 'ply.example',
        source: 'https://provider.example/abuse',
        date: new Date('2026-01-31T00:00:00Z'),
      },
    ]);
    assert.deepEqual(
      [...networks, mail, form, feed].map((one) => one?.value),
      [
        '203.0.113.0/24',
        '2001:db8::/32',
        'abuse@ply.example',
        'https://ply.example/report',
        'https://rapsheet.example/feed/ply',
      ],
    );
  });

  it('needs a suffix or a network, and nothing else', () => {
    const { name, kind, suffixes, networks } = whole;
    assert.deepEqual(problemsOf({ name, kind, suffixes }), []);
    assert.deepEqual(problemsOf({ name, kind, networks, suffixes: [] }), []);
    const missing = ['suffixes or networks must have at least one fact'];
    assert.deepEqual(problemsOf({ name, kind }), missing);
    assert.deepEqual(problemsOf({ name, kind, suffixes: [], networks: [] }), missing);
  });

  it('is refused with the name of the field and what is right', () => {
    const cases: readonly (readonly [object, string])[] = [
      [{ name: '' }, 'name must be a text of 1 to 100 visible characters'],
      [{ name: 7 }, 'name must be a text of 1 to 100 visible characters'],
      [{ name: 'a\u202eb' }, 'name must be a text of 1 to 100 visible characters'],
      [{ name: 'a'.repeat(101) }, 'name must be a text of 1 to 100 visible characters'],
      [
        { kind: 'host' },
        'kind must be one of tunnel, dynamic-dns, hosting, cdn, file-hosting, messaging, shortener, registrar',
      ],
      [
        { mial: fact('a@b.example') },
        '"mial" is not a field: use name, kind, suffixes, networks, mail, form, feed',
      ],
      [
        { mail: fact('a@b.example', { when: '' }) },
        'mail."when" is not a field: use value, source, date',
      ],
      [{ suffixes: 'ply.example' }, 'suffixes must be a list of facts'],
      [{ suffixes: ['ply.example'] }, 'suffixes[0] must be an object with value, source, date'],
      [{ mail: null }, 'mail must be an object with value, source, date'],
      [{ mail: fact(7) }, 'mail.value must be a text'],
      [
        { mail: fact('a b@x.example') },
        'mail.value must be a mail address (it is "a b@x.example")',
      ],
      [
        { form: fact('http://ply.example/') },
        'form.value must be an https URL (it is "http://ply.example/")',
      ],
      [
        { mail: fact('a@b.example', { source: 'javascript:alert(1)' }) },
        'mail.source must be an https URL (it is "javascript:alert(1)")',
      ],
      [
        { mail: fact('a@b.example', { date: '2026-02-30' }) },
        'mail.date must be a day such as 2026-01-31 (it is "2026-02-30")',
      ],
      [
        { networks: [fact('203.0.113.9/24')] },
        'networks[0].value must be written as 203.0.113.0/24 (it is "203.0.113.9/24")',
      ],
      [
        { networks: [fact('2001:DB8::1/32')] },
        'networks[0].value must be written as 2001:db8::/32 (it is "2001:DB8::1/32")',
      ],
      [
        { networks: [fact('0.0.0.0/0')] },
        'networks[0].value must have a prefix of at least 8 bits (it is "0.0.0.0/0")',
      ],
      [
        { networks: [fact('2000::/3')] },
        'networks[0].value must have a prefix of at least 16 bits (it is "2000::/3")',
      ],
      [
        { networks: [fact('203.0.113.0')] },
        'networks[0].value must be a network in CIDR notation, such as 203.0.113.0/24 (it is "203.0.113.0")',
      ],
      [
        { suffixes: [fact('co.uk')] },
        'suffixes[0].value must be a name of the provider, not one under which anybody can register names (it is "co.uk")',
      ],
    ];
    for (const [change, problem] of cases)
      assert.deepEqual(problemsOf({ ...whole, ...change }), [problem]);
    for (const wrong of [
      '*.ply.example',
      '.ply.example',
      'Ply.example',
      '203.0.113.7',
      'plý.example',
    ])
      assert.match(
        problemsOf({ ...whole, suffixes: [fact(wrong)] })[0] ?? '',
        /^suffixes\[0\]\.value must be a DNS name in lower case/,
      );
    for (const json of [undefined, null, [], 'text', 7])
      assert.deepEqual(problemsOf(json), ['the file must hold a JSON object']);
  });

  it('is refused for all its mistakes, and long values are cut', () => {
    const problems = problemsOf({ ...whole, kind: '', mail: fact('x'.repeat(1000)) });
    assert.equal(problems.length, 2);
    assert.equal(problems[1], `mail.value must be a mail address (it is "${'x'.repeat(80)}…")`);
  });
});
