import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it } from 'node:test';
import { adblock } from '../../src/exports/adblock.ts';
import { dnsmasq } from '../../src/exports/dnsmasq.ts';
import type { Exporter } from '../../src/exports/exporter.ts';
import { hosts } from '../../src/exports/hosts.ts';
import { ipset } from '../../src/exports/ipset.ts';
import { nftables } from '../../src/exports/nftables.ts';
import { rpz } from '../../src/exports/rpz.ts';
import { sha256 } from '../../src/exports/sha256.ts';
import { snort } from '../../src/exports/snort.ts';
import { txt } from '../../src/exports/txt.ts';
import { zeek } from '../../src/exports/zeek.ts';
import { outputsOf } from './validators/outputs.ts';

const NAME = '[a-z0-9_-]+(?:\\.[a-z0-9_-]+)+';
const IPV4 = '\\d{1,3}(?:\\.\\d{1,3}){3}';
const IPV6 = '[0-9a-f:]{3,39}';

const SET = '(?:c2|hosts)-ply-v[46]';
const META = '\\trapsheet-ply\\t(?:C2|file) of [A-Za-z0-9 ._:/()-]*\\thttps://[A-Za-z0-9.:/-]+';
const ADDRESS = `(?:${IPV4}|${IPV6}) \\d{1,5}`;
const MSG = 'msg:"[A-Za-z0-9 ._:/()-]{1,120}";';
const LABELS = '(?:\\|[0-9A-F]{2}\\|[a-z0-9_-]{1,63})+';
const RULE_END =
  'reference:url,[A-Za-z0-9.:/-]+; classtype:trojan-activity; sid:\\d+; rev:\\d+; metadata:[a-z0-9_ ,-]+; \\)';

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
  [dnsmasq, [`address=/${NAME}/#?`]],
  [adblock, [`\\|\\|${NAME}\\^`]],
  [
    ipset,
    [
      `create ${SET}(?:-new)? hash:ip(?:,port)? family inet6? maxelem 16777216 -exist`,
      `flush ${SET}-new`,
      `add ${SET}-new (?:${IPV4}|${IPV6})(?:,(?:tcp|udp):\\d{1,5})?`,
      `swap ${SET}-new ${SET}`,
      `destroy ${SET}-new`,
    ],
  ],
  [
    zeek,
    [
      '#fields\\tindicator\\tindicator_type\\tmeta\\.source\\tmeta\\.desc\\tmeta\\.url',
      `${NAME}\\tIntel::DOMAIN${META}`,
      `(?:${IPV4}|${IPV6})\\tIntel::ADDR${META}`,
      `[0-9a-f]{64}\\tIntel::FILE_HASH${META}`,
    ],
  ],
  [
    snort,
    [
      `alert tcp \\$HOME_NET any -> ${ADDRESS} \\( ${MSG} flags:S,CE; ${RULE_END}`,
      `alert udp \\$HOME_NET any -> ${ADDRESS} \\( ${MSG} flow:to_server; ${RULE_END}`,
      `alert udp \\$HOME_NET any -> any 53 \\( ${MSG} flow:to_server; content:"${LABELS}\\|00\\|",fast_pattern,nocase; service:dns; ${RULE_END}`,
    ],
  ],
];

const COMMENT_SIGNS: Readonly<Record<string, string>> = { rpz: ';', adblock: '!' };

describe('a block list', () => {
  for (const [exporter, lines] of LINES) {
    const sign = COMMENT_SIGNS[exporter.format] ?? '#';
    const line = new RegExp(`^(?:${[`${sign} [\\x20-\\x7e]+`, ...lines].join('|')})$`);

    it(`has only lines of ${exporter.format}, whatever the reports contain`, () => {
      for (const { label, text } of outputsOf(exporter))
        for (const one of text.slice(0, -1).split('\n')) assert.match(one, line, label);
    });

    it(`has no entry twice in ${exporter.format}`, () => {
      for (const { label, text } of outputsOf(exporter)) {
        const entries = text
          .split('\n')
          .filter((one) => !/^(?:[#;!}]|add (?:table|set|element) |flush |$)/.test(one));
        assert.equal(new Set(entries).size, entries.length, label);
      }
    });

    it(`ends ${exporter.format} with the number of omissions and a digest of all before`, () => {
      for (const { label, text } of outputsOf(exporter)) {
        const end = /^[#;!] END rows=\d+ sha256=([0-9a-f]{64})\n$/m.exec(text);
        const before = text.slice(0, end?.index);
        assert.equal(end?.[1], hash('sha256', before), label);
        assert.match(
          before,
          /^[#;!] left out: (?:0|\d+ \(\d+ [a-z0-9-]+(?:, \d+ [a-z0-9-]+)*\))\n$/m,
        );
      }
    });
  }
});
