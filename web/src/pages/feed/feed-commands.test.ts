import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { feedCommands } from './feed-commands.ts';

const subject = {
  origin: 'https://abuse.example',
  service: 'ply',
  filter: {},
  isOwner: false,
  isResearcher: false,
};

describe('the lines to paste', () => {
  it('name this server and the feed, and leave the token to the reader', () => {
    for (const { line } of feedCommands(subject)) {
      assert.match(line, /https:\/\/abuse\.example/);
      assert.match(line, /ply/);
      assert.doesNotMatch(line, /rap_/);
    }
  });

  it('have the filters in force, quoted for a shell', () => {
    const filter = { status: 'open', tag: ["it's", 'rat'] };
    const [list] = feedCommands({ ...subject, filter });
    assert.equal(
      list?.line,
      `curl 'https://abuse.example/feed/ply/reports?status=open&tag=it%27s&tag=rat&limit=1000' -H "Authorization: Bearer $TOKEN"`,
    );
  });

  it('offer writing to those who may', () => {
    const titles = (subjectOf: Partial<typeof subject>) =>
      feedCommands({ ...subject, ...subjectOf }).map(({ title }) => title);
    assert.ok(!titles({}).includes('A webhook'));
    assert.ok(titles({ isOwner: true }).includes('A webhook'));
    assert.ok(titles({ isResearcher: true }).includes('Report many at once'));
  });
});
