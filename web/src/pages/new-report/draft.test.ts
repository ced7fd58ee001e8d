import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { problemsOf, readC2, toBody } from './draft.ts';

const EMPTY = { c2: '', hash: '', tags: '', link: '', confidence: '' };

describe('the draft of a report', () => {
  it('reads addresses out of links as analysts paste them', () => {
    const cases = {
      'evil[.]example:4444': 'evil[.]example:4444',
      ' 192.0.2.1:80 ': '192.0.2.1:80',
      'hxxp://evil[.]example/gate.php': 'evil[.]example:80',
      'https://user@evil.example/?x': 'evil.example:443',
      'hxxps[:]//evil[.]example:8443/a': 'evil[.]example:8443',
      'tcp://[2001:db8::1]:9000': '[2001:db8::1]:9000',
      'tcp://evil.example': 'evil.example',
      nonsense: 'nonsense',
    };
    for (const [typed, read] of Object.entries(cases)) assert.equal(readC2(typed), read);
  });

  it('leaves out what is empty, and keeps what the server must refuse', () => {
    assert.deepEqual(toBody({ ...EMPTY, c2: 'x', hash: ' ab ' }), {
      c2Address: 'x',
      file256Hash: 'ab',
    });
    const body = toBody({
      c2: 'a:1',
      hash: 'b',
      tags: ' one, ,two ',
      link: 'hxxps://r[.]example/x',
      confidence: '7',
    });
    assert.deepEqual(body.tags, ['one', 'two']);
    assert.equal(body.referenceLink, 'https://r.example/x');
    assert.equal(body.confidenceScore, 7);
  });

  it('finds the field of each problem', () => {
    const problems = [
      { field: 'c2Address', error: 'c2Address must be "<host>:<port>".' },
      { field: 'tags', error: 'tags must be a list.' },
    ];
    const preview = {
      report: null,
      problems,
      ownReports: 0,
      c2Rejected: false,
      service: null,
      feed: null,
      pattern: null,
      verified: false,
      knownAs: [],
      successful: true as const,
    };
    assert.deepEqual(problemsOf(preview), {
      c2: 'This must be "<host>:<port>".',
      tags: 'This must be a list.',
    });
  });
});
