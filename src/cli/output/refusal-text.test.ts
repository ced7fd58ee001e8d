import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Problem } from '../../domain/problem.ts';
import { deleteReport } from '../commands/delete.ts';
import { deskSet } from '../commands/desk-set.ts';
import { feedList } from '../commands/feed-list.ts';
import { fetchReport } from '../commands/fetch.ts';
import { myTokenIssue } from '../commands/my-token-issue.ts';
import { myTokenRevoke } from '../commands/my-token-revoke.ts';
import { report } from '../commands/report.ts';
import { search } from '../commands/search.ts';
import { similar } from '../commands/similar.ts';
import { webhookAdd } from '../commands/webhook-add.ts';
import { inCommandTerms } from './refusal-text.ts';

describe('a refusal on the command line', () => {
  it('names the options instead of the members of the API', () => {
    assert.equal(
      inCommandTerms('c2Address must be "<host>:<port>". file256Hash is missing.', report),
      '--c2 must be "<host>:<port>". --hash is missing.',
    );
    assert.equal(
      inCommandTerms('created_after must be a time.', feedList),
      '--since must be a time.',
    );
    assert.equal(
      inCommandTerms('reason: for the status "actioned" it must be one.', deskSet),
      '--reason: for the status "actioned" it must be one.',
    );
    assert.equal(
      inCommandTerms('created_after must be a time.', deskSet),
      '--where-since must be a time.',
    );
    assert.equal(
      inCommandTerms('expiresAt must be a time, or null for none.', myTokenIssue),
      '--expires must be a time, or never.',
    );
  });

  it('names the arguments', () => {
    assert.equal(
      inCommandTerms('url must be an https URL.', webhookAdd),
      '<url> must be an https URL.',
    );
    assert.equal(inCommandTerms('id must be a UUID.', myTokenRevoke), '<id> must be a UUID.');
    for (const command of [fetchReport, deleteReport])
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
      inCommandTerms(new Problem('invalid_tlsh').message, similar),
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
      'No lookups are left. `rapsheet balance` shows the balance.',
    );
    assert.match(
      inCommandTerms(
        'There is no service with this name. Names are lower-case and matched exactly.',
      ),
      /`rapsheet services` lists them\.$/,
    );
  });
});
