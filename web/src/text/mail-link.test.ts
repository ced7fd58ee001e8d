import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mailLink } from './mail-link.ts';

describe('a link for a mail about an address', () => {
  it('has the recipient and a subject that no program follows', () => {
    assert.equal(
      mailLink('abuse@ply.example', 'a.ply.example:80'),
      'mailto:abuse@ply.example?subject=Abuse%20report%3A%20a%5B.%5Dply%5B.%5Dexample%3A80',
    );
  });

  it('has no other header, whatever the address of the recipient is', () => {
    for (const mail of ['a?bcc=b@x.example', 'a&cc=b@x.example', 'a%0Abcc:b@x.example', 'a\nb@x']) {
      const url = new URL(mailLink(mail, 'x.example'));
      assert.deepEqual([...url.searchParams.keys()], ['subject']);
      assert.equal(decodeURIComponent(url.pathname), mail);
    }
  });
});
