import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Problem } from '../../domain/problem.ts';
import { reportAdd } from '../commands/report/add.ts';
import { reportList } from '../commands/report/list.ts';
import { reportRemove } from '../commands/report/remove.ts';
import { reportSet } from '../commands/report/set.ts';
import { reportShow } from '../commands/report/show.ts';
import { sampleSimilar } from '../commands/sample/similar.ts';
import { search } from '../commands/search.ts';
import { tokenIssue } from '../commands/token/issue.ts';
import { tokenRevoke } from '../commands/token/revoke.ts';
import { webhookAdd } from '../commands/webhook/add.ts';
import { inCommandTerms } from './refusal-text.ts';

describe('a refusal on the command line', () => {
  it('names the options instead of the members of the API', () => {
    assert.equal(
      inCommandTerms('c2Address must be "<host>:<port>". file256Hash is missing.', reportAdd),
      '--c2 must be "<host>:<port>". --hash is missing.',
    );
    assert.equal(
      inCommandTerms('created_after must be a time.', reportList),
      '--since must be a time.',
    );
    assert.equal(
      inCommandTerms('reason: for the status "actioned" it must be one.', reportSet),
      '--reason: for the status "actioned" it must be one.',
    );
    assert.equal(
      inCommandTerms('created_after must be a time.', reportSet),
      '--where-since must be a time.',
    );
    assert.equal(
      inCommandTerms('expiresAt must be a time, or null for none.', tokenIssue),
      '--expires must be a time, or never.',
    );
  });

  it('names the arguments', () => {
    assert.equal(
      inCommandTerms('url must be an https URL.', webhookAdd),
      '<url> must be an https URL.',
    );
    assert.equal(inCommandTerms('id must be a UUID.', tokenRevoke), '<id> must be a UUID.');
    for (const command of [reportShow, reportRemove])
      assert.equal(
        inCommandTerms('report must be the id of a report (a UUID), given once.', command),
        '<id> must be the id of a report (a UUID).',
      );
  });

  it('names an argument that may be repeated', () => {
    assert.equal(
      inCommandTerms('q must be a text of 1 to 200 visible characters, given once.', search),
      '<text> must be a text of 1 to 200 visible characters.',
    );
  });

  it('names the fuzzy hash that was given', () => {
    assert.equal(
      inCommandTerms(new Problem('invalid_tlsh').message, sampleSimilar),
      '--tlsh must be a TLSH digest, "T1" and 70 hexadecimal digits.',
    );
    assert.match(inCommandTerms(new Problem('invalid_ssdeep').message), /^--ssdeep must .*"\.$/);
  });

  it('keeps what is no option of the command', () => {
    for (const text of ['id must be a UUID.', 'c2Address must be one.', 'There is no token.'])
      assert.equal(inCommandTerms(text), text);
  });

  it('names commands instead of calls of the API', () => {
    assert.equal(
      inCommandTerms('No lookups are left. GET /api/balance shows the balance.'),
      'No lookups are left. `rapsheet usage show --balance` shows the balance.',
    );
    assert.match(
      inCommandTerms(
        'There is no service with this name. Names are lower-case and matched exactly.',
      ),
      /`rapsheet service list` lists them\.$/,
    );
  });
});
