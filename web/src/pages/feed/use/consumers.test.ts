import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Subject } from './consumer.ts';
import { consumerGroups } from './consumers.ts';

const subject: Subject = {
  origin: 'https://abuse.example',
  service: 'ply',
  filter: {},
  isOwner: false,
  isResearcher: false,
};

function consumersOf(changed: Partial<Subject> = {}) {
  return consumerGroups({ ...subject, ...changed }).flatMap(({ consumers }) => consumers);
}

function pasted(title: string, changed: Partial<Subject> = {}): string {
  const found = consumersOf(changed).find((one) => one.title === title);
  assert.ok(found, title);
  return found.snippets.map(({ text }) => text).join('\n');
}

describe('what consumers paste', () => {
  it('names this server and the feed, and leaves the token to the reader', () => {
    for (const { title, snippets } of consumersOf({ isOwner: true, isResearcher: true })) {
      const text = snippets.map((snippet) => snippet.text).join('\n');
      assert.match(text, /https:\/\/abuse\.example/, title);
      assert.match(text, /ply/, title);
      assert.doesNotMatch(text, /rap_/, title);
    }
  });

  it('is told apart by its title', () => {
    const titles = consumersOf({ isOwner: true, isResearcher: true }).map(({ title }) => title);
    assert.equal(new Set(titles).size, titles.length);
  });

  it('has the filters in force, quoted for a shell', () => {
    const filter = { status: 'open', tag: ["it's", 'rat'] };
    assert.equal(
      pasted('Pages of this list', { filter }),
      `curl 'https://abuse.example/feed/ply/reports?status=open&tag=it%27s&tag=rat&limit=1000' -H "Authorization: Bearer $TOKEN"`,
    );
    assert.match(pasted('BIND', { filter }), /export\/rpz\?status=open&tag=it%27s&tag=rat'/);
  });

  it('previews what the consumer reads', () => {
    const suricata = consumersOf().find(({ title }) => title === 'Suricata');
    assert.deepEqual(suricata?.reads, { format: 'suricata' });
    assert.match(pasted('Suricata'), /export\/suricata\?file=set/);
  });

  it('offers sending to those who may', () => {
    const titles = (changed: Partial<Subject>) => consumersOf(changed).map(({ title }) => title);
    assert.ok(!titles({}).includes('Webhook'));
    assert.ok(titles({ isOwner: true }).includes('Webhook'));
    assert.ok(titles({ isResearcher: true }).includes('Report many at once'));
  });

  it('escapes percent signs for cron', () => {
    const cron =
      pasted('BIND', { filter: { tag: ["it's"] } })
        .split('\n')
        .at(-1) ?? '';
    assert.match(cron, /^\*\/5 \* \* \* \* root rapsheet-fetch .*tag=it\\%27s/);
  });

  it('has a MISP feed over all feeds', () => {
    assert.match(pasted('MISP', { service: 'all' }), /"url": "[^"]+\/misp\/all"/);
  });
});

const DOCS = new URL('../../../../../docs/consumers/', import.meta.url);

/** The lines of a page without the indentation of lists. */
function pageLines(page: string): readonly string[] {
  return readFileSync(new URL(page, DOCS), 'utf8')
    .split('\n')
    .map((line) => line.trim());
}

describe('what consumers paste is what the documentation says:', () => {
  const pages: readonly (readonly [string, string, string])[] = [
    ['BIND', 'bind.md', 'ply'],
    ['Unbound', 'unbound.md', 'ply'],
    ['dnsmasq, hosts file', 'dnsmasq.md', 'ply'],
    ['dnsmasq, settings', 'dnsmasq.md', 'ply'],
    ['Ad blockers', 'adblock.md', 'ply'],
    ['nftables', 'nftables.md', 'ply'],
    ['iptables, ipset', 'ipset.md', 'ply'],
    ['Snort 3', 'snort.md', 'all'],
    ['Zeek', 'zeek.md', 'all'],
    ['Suricata', 'suricata-update.md', 'all'],
  ];
  for (const [title, page, service] of pages)
    it(title, () => {
      const origin = 'https://rapsheet.example';
      const found = consumersOf({ origin, service }).find((one) => one.title === title);
      const known = new Set([...pageLines(page), ...pageLines('curl-cron.md')]);
      const isToken = (line: string) => line.startsWith('(umask 077');
      for (const { label, text } of found?.snippets ?? [])
        for (const line of text.split('\n').filter((one) => !isToken(one)))
          assert.ok(known.has(line.trim()) || isPart(line, known), `${label}: ${line}`);
    });

  /** A step of a command that the page writes on one line. */
  function isPart(line: string, known: ReadonlySet<string>): boolean {
    return line.length > 10 && [...known].some((one) => one.split(' && ').includes(line.trim()));
  }
});
