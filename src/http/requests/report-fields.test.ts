import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { always } from '../../../test/always.ts';
import { validate } from './field-rules.ts';
import { createBody, parseCreateBody } from './report-fields.ts';

const SHA256 = 'ab'.repeat(32);
const SMALLEST = { c2Address: 'evil.example:4444', file256Hash: SHA256 };
const READ = { c2Address: { host: 'evil.example', port: 4444 }, file256Hash: SHA256 };

function read(members: Readonly<Record<string, unknown>>, scale?: number) {
  const checked = validate(createBody(scale), { ...SMALLEST, ...members });
  if ('problems' in checked) assert.fail(checked.problems.join(' '));
  return checked.value;
}

function problems(body: unknown, scale?: number): readonly string[] {
  const checked = validate(createBody(scale), body);
  return 'problems' in checked ? checked.problems : [];
}

/** Parsed from JSON, because only then can a body have a member called `__proto__`. */
function parseBody(more: string): unknown {
  return JSON.parse(`{"c2Address":"evil.example:4444","file256Hash":"${SHA256}",${more}}`);
}

const TAGS_RULE = 'tags must be a list of at most 32 texts of 1 to 64 visible characters.';
const SCORE_RULE = 'confidenceScore must be an integer from 0 to 100.';

describe('the body of a create', () => {
  it('needs an address and a hash only', () => {
    assert.deepEqual(read({}), READ);
  });

  it('may have its hash in any case', () => {
    assert.deepEqual(read({ file256Hash: SHA256.toUpperCase() }), READ);
  });

  it('may have its address defanged', () => {
    assert.deepEqual(read({ c2Address: 'EVIL[.]example:4444' }), READ);
  });

  it('keeps visible tags exactly as they were sent', () => {
    const tag = fc
      .string({ unit: fc.constantFrom(...'abcÄ中💀 <>&"\'\\{}$%'), minLength: 1, maxLength: 64 })
      .filter((text) => text.trim() !== '');
    always(
      fc.property(fc.array(tag, { maxLength: 32 }), (tags) => {
        assert.deepEqual(read({ tags }).tags, tags);
      }),
    );
  });

  it('has at most 32 tags', () => {
    assert.equal(read({ tags: Array(32).fill('rat') }).tags?.length, 32);
    assert.deepEqual(problems({ ...SMALLEST, tags: Array(33).fill('rat') }), [TAGS_RULE]);
  });

  it('has tags of at most 64 code points', () => {
    assert.deepEqual(problems({ ...SMALLEST, tags: ['💀'.repeat(64)] }), []);
    assert.deepEqual(problems({ ...SMALLEST, tags: ['💀'.repeat(65)] }), [TAGS_RULE]);
  });

  for (const tags of [null, 'rat', {}, 1, [1], [null], [['rat']], [''], ['a\nb'], ['\ud800']]) {
    it(`may not have ${JSON.stringify(tags)} as its tags`, () => {
      assert.deepEqual(problems({ ...SMALLEST, tags }), [TAGS_RULE]);
    });
  }

  it('keeps a reference link exactly as it was sent', () => {
    const referenceLink = 'HTTPS://Research.Example/a/../b?q=%41#ü';
    assert.equal(read({ referenceLink }).referenceLink, referenceLink);
  });

  for (const referenceLink of [null, '', 'research.example', 'ftp://a', 'https://u:p@a', 1]) {
    it(`may not have ${JSON.stringify(referenceLink)} as its reference link`, () => {
      assert.match(
        problems({ ...SMALLEST, referenceLink }).join(),
        /^referenceLink must be an http/,
      );
    });
  }

  it('may have any whole number of the scale as its confidence', () => {
    const scaled = fc
      .integer({ min: 1, max: 100 })
      .chain((scale) => fc.tuple(fc.constant(scale), fc.integer({ min: 0, max: scale })));
    always(
      fc.property(scaled, ([scale, confidenceScore]) => {
        assert.equal(read({ confidenceScore }, scale).confidenceScore, confidenceScore);
      }),
    );
  });

  it('may not have more than the scale as its confidence', () => {
    assert.deepEqual(problems({ ...SMALLEST, confidenceScore: 11 }, 10), [
      'confidenceScore must be an integer from 0 to 10.',
    ]);
  });

  it('may write a whole number with a fraction of zero or as minus zero', () => {
    assert.deepEqual(problems(parseBody('"confidenceScore":80.0')), []);
    assert.deepEqual(problems(parseBody('"confidenceScore":8e1')), []);
    assert.deepEqual(problems(parseBody('"confidenceScore":-0')), []);
  });

  for (const score of [
    '-1',
    '101',
    '0.5',
    '1e400',
    '-1e400',
    '1e21',
    '"80"',
    'null',
    'true',
    '[]',
    '{}',
  ]) {
    it(`may not have ${score} as its confidence`, () => {
      assert.deepEqual(problems(parseBody(`"confidenceScore":${score}`)), [SCORE_RULE]);
    });
  }

  it('may not have NaN as its confidence', () => {
    assert.deepEqual(problems({ ...SMALLEST, confidenceScore: Number.NaN }), [SCORE_RULE]);
  });

  it('may be a fetched report: members that the server assigns are ignored', () => {
    const assigned = { id: 1, name: null, reportedAt: {}, reportedBy: [], firstSeenID: 'x' };
    assert.deepEqual(problems({ ...SMALLEST, ...assigned }), []);
  });

  for (const name of [
    'tag',
    'C2Address',
    'c2address',
    'constructor',
    '__proto__',
    'toString',
    '',
  ]) {
    it(`may not have a member called ${JSON.stringify(name)}`, () => {
      assert.deepEqual(problems(parseBody(`${JSON.stringify(name)}:{"tags":["x"]}`)), [
        `${JSON.stringify(name)} is not known here; the members are c2Address, file256Hash, tags, referenceLink, confidenceScore, id, name, reportedAt, reportedBy, firstSeenID.`,
      ]);
    });
  }

  it('is refused with all problems at once, each member once', () => {
    const found = problems({
      tags: ['', 1, '\n'],
      referenceLink: 'x',
      confidenceScore: -0.5,
      more: 1,
    });
    assert.deepEqual(
      found.map((text) => text.split(' ').slice(0, 3).join(' ')),
      [
        'c2Address is missing;',
        'file256Hash is missing;',
        'tags must be',
        'referenceLink must be',
        'confidenceScore must be',
        '"more" is not',
      ],
    );
  });

  it('distinguishes a wrong member from a missing one', () => {
    assert.match(problems({ ...SMALLEST, c2Address: null }).join(), /^c2Address must be "<host>/);
    assert.match(problems({ file256Hash: SHA256 }).join(), /^c2Address is missing; it must be/);
  });

  it('treats members of the prototype as missing', () => {
    assert.equal(problems({ constructor: 1 }).length, 3);
  });

  for (const body of [null, [], [SMALLEST], 'text', 1, true, undefined]) {
    it(`may not be ${JSON.stringify(body)}`, () => {
      assert.deepEqual(problems(body), ['It must be a JSON object.']);
    });
  }

  it('has one schema for each scale', () => {
    assert.equal(createBody(10), createBody(10));
    assert.equal(createBody(), createBody(100));
    assert.notEqual(createBody(10), createBody());
  });
});

describe('the parser of a create', () => {
  /** Valid and invalid values of each member. */
  const body = fc.record(
    {
      c2Address: fc.constantFrom('evil.example:4444', '[::1]:1', 'EVIL[.]example:65535', 'x', 7),
      file256Hash: fc.constantFrom(SHA256, SHA256.toUpperCase(), 'ab', null),
      tags: fc.oneof(
        fc.constant(null),
        fc.array(fc.constantFrom('rat', 'Ä', '', 'x'.repeat(65), 7), { maxLength: 34 }),
      ),
      referenceLink: fc.constantFrom('https://a.example/x', 'ftp://a.example', 'x', '', null),
      confidenceScore: fc.constantFrom(0, -0, 1, 80, 100, 101, -1, 0.5, 1e300, '80', null),
      id: fc.jsonValue(),
      firstSeenID: fc.jsonValue(),
      unknown: fc.jsonValue(),
      constructor: fc.constant(1),
    },
    { requiredKeys: [] },
  );
  const valid = fc.record(
    {
      c2Address: fc.constant('evil.example:4444'),
      file256Hash: fc.constant(SHA256),
      tags: fc.array(fc.constantFrom('rat', 'Ä'), { maxLength: 32 }),
      referenceLink: fc.constant('https://a.example/x'),
      confidenceScore: fc.integer({ min: 0, max: 100 }),
      name: fc.jsonValue(),
    },
    { requiredKeys: ['c2Address', 'file256Hash'] },
  );

  it('accepts what the schema accepts, with the same values', () => {
    always(
      fc.property(fc.oneof(body, valid, fc.jsonValue()), (value) => {
        const checked = validate(createBody(), value);
        assert.deepEqual(
          parseCreateBody(value, 100),
          'value' in checked ? checked.value : undefined,
        );
      }),
    );
  });

  it('refuses a member called `__proto__`, as the schema does', () => {
    assert.equal(parseCreateBody(parseBody('"__proto__":{"tags":["rat"]}'), 100), undefined);
  });

  it('limits the confidence by the scale of the service', () => {
    const value = { ...SMALLEST, confidenceScore: 10 };
    assert.deepEqual(parseCreateBody(value, 10), { ...READ, confidenceScore: 10 });
    assert.equal(parseCreateBody(value, 9), undefined);
  });
});
