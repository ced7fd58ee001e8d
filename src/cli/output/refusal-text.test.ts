import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deskSet } from '../commands/desk-set.ts';
import { feedList } from '../commands/feed-list.ts';
import { myTokenIssue } from '../commands/my-token-issue.ts';
import { report } from '../commands/report.ts';
import { inOptionNames } from './refusal-text.ts';

describe('a refusal on the command line', () => {
  it('names the options instead of the members of the API', () => {
    assert.equal(
      inOptionNames('c2Address must be "<host>:<port>". file256Hash is missing.', report.options),
      '--c2 must be "<host>:<port>". --hash is missing.',
    );
    assert.equal(
      inOptionNames('created_after must be a time.', feedList.options),
      '--since must be a time.',
    );
    assert.equal(
      inOptionNames('reason: for the status "actioned" it must be one.', deskSet.options),
      '--reason: for the status "actioned" it must be one.',
    );
    assert.equal(
      inOptionNames('created_after must be a time.', deskSet.options),
      '--where-since must be a time.',
    );
    assert.equal(
      inOptionNames('expiresAt must be a time, or null for none.', myTokenIssue.options),
      '--expires must be a time, or never.',
    );
  });

  it('keeps what is no option of the command', () => {
    for (const text of ['id must be a UUID.', 'c2Address must be one.', 'There is no token.'])
      assert.equal(inOptionNames(text), text);
  });

  it('names commands instead of calls of the API', () => {
    assert.equal(
      inOptionNames('No lookups are left. GET /api/balance shows the balance.'),
      'No lookups are left. `rapsheet balance` shows the balance.',
    );
    assert.match(
      inOptionNames(
        'There is no service with this name. Names are lower-case and matched exactly.',
      ),
      /`rapsheet services` lists them\.$/,
    );
  });
});
