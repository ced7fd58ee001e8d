import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assert as holds, property, stringMatching } from 'fast-check';
import { parseAccountName } from '../../domain/accounts/account-name.ts';
import { isToken } from '../../domain/accounts/token.ts';
import { parseMailAddress } from '../../domain/mail/mail-settings.ts';
import { parseC2Address } from '../../domain/reports/c2-address.ts';
import { isReference, isTag } from '../../domain/reports/report.ts';
import { parseFileHash } from '../../domain/samples/file-hash.ts';
import { parseFuzzyHash } from '../../domain/samples/fuzzy-hash.ts';
import { parseTlsh } from '../../domain/samples/tlsh.ts';
import { parseHostPattern, parseNetwork, parseServiceSlug } from '../../domain/services/service.ts';
import { parseHost } from '../requests/feed-query.ts';
import { readIdempotencyKey } from '../requests/idempotency-key.ts';
import {
  ACCOUNT_NAME,
  C2_INPUT,
  FILE_HASH,
  FUZZY_HASH,
  HOST_INPUT,
  HOST_PATTERN,
  IDEMPOTENCY_KEY,
  MAIL_ADDRESS,
  NETWORK,
  REFERENCE,
  SLUG,
  type TextFormat,
  TLSH,
  TOKEN,
  visible,
} from './text-formats.ts';

interface Compared {
  readonly format: TextFormat;
  /** Whether the server accepts the text. */
  readonly accepts: (text: string) => unknown;
  readonly valid: readonly string[];
  readonly invalid: readonly string[];
}

const cases: Readonly<Record<string, Compared>> = {
  c2: {
    format: C2_INPUT,
    accepts: parseC2Address,
    valid: [
      '1.2.3.4:80',
      'a.example:65535',
      '[::1]:1',
      'evil[.]example[:]80',
      'a[DOT]b:1',
      'a_b:1',
    ],
    invalid: [
      'a.example',
      'a.example:0',
      'a.example:65536',
      '1.2.3:80',
      'a.0x1f:1',
      '::1:80',
      'a..b:1',
    ],
  },
  host: {
    format: HOST_INPUT,
    accepts: parseHost,
    valid: ['1.2.3.4', '::1', '[2001:db8::1]', 'evil(.)example'],
    invalid: ['', '1.2.3', 'a b', '[::1', '12'],
  },
  hash: {
    format: FILE_HASH,
    accepts: parseFileHash,
    valid: ['0'.repeat(64), 'aF'.repeat(64)],
    invalid: ['0'.repeat(63), 'g'.repeat(64), '0'.repeat(65)],
  },
  slug: { format: SLUG, accepts: parseServiceSlug, valid: ['ply', '0-'], invalid: ['-a', 'A', ''] },
  name: {
    format: ACCOUNT_NAME,
    accepts: parseAccountName,
    valid: ['alice', 'a b', 'é', '名'],
    invalid: [' a', 'a ', '', 'a\u200b', 'a\u00a0b', 'a\n'],
  },
  tag: {
    format: visible(64),
    accepts: isTag,
    valid: ['rat', ' a ', 'ñ', '💀', 'x'.repeat(64)],
    invalid: ['', ' ', '\t', 'a\u2800', 'a\u3164', 'a\ue000', 'x'.repeat(65)],
  },
  'host pattern': {
    format: HOST_PATTERN,
    accepts: parseHostPattern,
    valid: ['*.ply.example', 'ply.example'],
    invalid: ['*', '*.*.a', 'a..b', ''],
  },
  network: {
    format: NETWORK,
    accepts: parseNetwork,
    valid: ['203.0.113.0/24', '0.0.0.0/0', '2001:db8::/32', '::/128'],
    invalid: ['203.0.113.0', '1.2.3.4/33', '::/129', '01.2.3.4/8', '1.2.3.4/08'],
  },
  mail: {
    format: MAIL_ADDRESS,
    accepts: parseMailAddress,
    valid: ['abuse@ply.example', "o'neil+x@a"],
    invalid: ['@a', 'a@', 'a b@c', '"a"@b', 'a@b.', 'a@-b'],
  },
  reference: {
    format: REFERENCE,
    accepts: isReference,
    valid: ['https://a.example/x?y#z', 'http://1.2.3.4:8080', 'https://[::1]/'],
    invalid: ['ftp://a', 'https://', 'https://u@a.example/', 'https://a b', 'https:///a'],
  },
  ssdeep: {
    format: FUZZY_HASH,
    accepts: parseFuzzyHash,
    valid: ['3::', '192:a+/:b'],
    invalid: ['4::', '3:', '3:::', '03::'],
  },
  tlsh: {
    format: TLSH,
    accepts: parseTlsh,
    valid: [`T1${'0aF'.repeat(23)}0`, 'A'.repeat(70)],
    invalid: ['T1', `T2${'0'.repeat(70)}`, '0'.repeat(71), `T1${'g'.repeat(70)}`],
  },
  'idempotency key': {
    format: IDEMPOTENCY_KEY,
    accepts: (text) => {
      try {
        return readIdempotencyKey(text);
      } catch {
        return undefined;
      }
    },
    valid: ['abc', '"a b"'],
    invalid: ['', 'a b', '"', 'é'],
  },
};

function matches({ pattern = '', minLength = 0, maxLength = Infinity }: TextFormat, text: string) {
  const { length } = [...text];
  return new RegExp(pattern, 'u').test(text) && length >= minLength && length <= maxLength;
}

const isAccepted = ({ accepts }: Compared, text: string) =>
  ![undefined, false].includes(accepts(text) as never);

describe('the formats of the OpenAPI document', () => {
  for (const [title, one] of Object.entries(cases)) {
    it(`agree with the server about a ${title}`, () => {
      for (const text of one.valid)
        assert.deepEqual([matches(one.format, text), isAccepted(one, text)], [true, true], text);
      for (const text of one.invalid)
        assert.deepEqual([matches(one.format, text), isAccepted(one, text)], [false, false], text);
    });
  }

  // Patterns with look-ahead and with classes of Unicode are beyond the generator.
  for (const title of ['hash', 'slug', 'network', 'ssdeep', 'idempotency key'])
    it(`allow no ${title} that the server refuses`, () => {
      const one = cases[title] as Compared;
      const texts = stringMatching(new RegExp(one.format.pattern ?? ''));
      void holds(
        property(texts, (text) => text === 'all' || isAccepted(one, text)),
        { numRuns: 200 },
      );
    });

  it('allow every token', () => {
    const token = 'rap_uzjfFhqEJ_VpnaMfpbLgj-W_DJ8_xQPINdIIjg';
    assert.ok(isToken(token) && matches(TOKEN, token));
  });
});
