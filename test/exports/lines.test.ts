import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it } from 'node:test';
import type { Exporter } from '../../src/exports/exporter.ts';
import { hosts } from '../../src/exports/hosts.ts';
import { nftables } from '../../src/exports/nftables.ts';
import { rpz } from '../../src/exports/rpz.ts';
import { sha256 } from '../../src/exports/sha256.ts';
import { txt } from '../../src/exports/txt.ts';
import { outputsOf } from './validators/outputs.ts';

const NAME = '[a-z0-9_-]+(?:\\.[a-z0-9_-]+)+';
const IPV4 = '\\d{1,3}(?:\\.\\d{1,3}){3}';
const IPV6 = '[0-9a-f:]{3,39}';

/** Every line that a list may have, besides comments. */
const LINES: readonly (readonly [exporter: Exporter, lines: readonly string[]])[] = [
  [txt, [`(?:${NAME}|${IPV4}|\\[${IPV6}\\]):\\d{1,5}`, NAME, IPV4, IPV6]],
  [hosts, [`(?:0\\.0\\.0\\.0|::) ${NAME}`]],
  [
    rpz,
    [
      '\\$TTL 300',
      '@ SOA localhost\\. hostmaster\\.localhost\\. \\d+ 3600 600 604800 300',
      '@ NS localhost\\.',
      `(?:\\*\\.)?${NAME} CNAME \\.`,
      '32(?:\\.\\d{1,3}){4}\\.rpz-ip CNAME \\.',
      '128(?:\\.(?:[0-9a-f]{1,4}|zz)){3,8}\\.rpz-ip CNAME \\.',
    ],
  ],
  [
    nftables,
    [
      'add table inet rapsheet',
      'add set inet rapsheet (?:c2|hosts)_ply_ipv[46] \\{ type ipv[46]_addr(?: \\. inet_service)?; flags timeout; \\}',
      'flush set inet rapsheet (?:c2|hosts)_ply_ipv[46]',
      'add element inet rapsheet (?:c2|hosts)_ply_ipv[46] \\{',
      ` {2}(?:${IPV4}|${IPV6})(?: \\. \\d{1,5})?,?`,
      '\\}',
    ],
  ],
  [sha256, ['[0-9a-f]{64}']],
];

describe('a block list', () => {
  for (const [exporter, lines] of LINES) {
    const sign = exporter.format === 'rpz' ? ';' : '#';
    const line = new RegExp(`^(?:${[`${sign} [\\x20-\\x7e]+`, ...lines].join('|')})$`);

    it(`has only lines of ${exporter.format}, whatever the reports contain`, () => {
      for (const { label, text } of outputsOf(exporter))
        for (const one of text.slice(0, -1).split('\n')) assert.match(one, line, label);
    });

    it(`has no entry twice in ${exporter.format}`, () => {
      for (const { label, text } of outputsOf(exporter)) {
        const entries = text.split('\n').filter((one) => !/^(?:[#;}]|add |flush |$)/.test(one));
        assert.equal(new Set(entries).size, entries.length, label);
      }
    });

    it(`ends ${exporter.format} with the number of omissions and a digest of all before`, () => {
      for (const { label, text } of outputsOf(exporter)) {
        const end = /^[#;] END rows=\d+ sha256=([0-9a-f]{64})\n$/m.exec(text);
        const before = text.slice(0, end?.index);
        assert.equal(end?.[1], hash('sha256', before), label);
        assert.match(
          before,
          /^[#;] left out: (?:0|\d+ \(\d+ [a-z0-9-]+(?:, \d+ [a-z0-9-]+)*\))\n$/m,
        );
      }
    });
  }
});
