import { type C2Address, parseC2Address } from '../../domain/reports/c2-address.ts';
import { isReference, isTag, MAX_TAGS } from '../../domain/reports/report.ts';
import { parseSha256 } from '../../domain/samples/file-hash.ts';
import type { SubmittedIocs } from '../../operations/reports/submit-iocs.ts';
import { itemsUpTo } from './bounded-list.ts';
import { type Members, type QueryRefusal, refusal } from './threatfox-refusal.ts';

/** Indicators that a researcher sends in the form of ThreatFox. Each becomes a report. */
export interface Submission extends SubmittedIocs {
  readonly kind: 'submit';
}

const MAX_IOCS = 100;
const MAX_IOC_LENGTH = 2048;
const SHA256_IN_TEXT = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/i;
/** Families of ThreatFox begin with a platform: `win.asyncrat`. */
const PLATFORM = /^(?:win|elf|apk|osx|js|jar|ps1|py|vbs|php|ios|asp|unity|symbian)\./i;

/**
 * A report needs the file that uses the C2, for which ThreatFox has no member: it is taken from
 * `hash`, or from a link or comment that contains its SHA-256, as links to samples do.
 */
export function parseSubmission(members: Members): Submission | QueryRefusal {
  const { threat_type: threat, iocs, reference, service } = members;
  if (threat !== 'botnet_cc')
    return refusal('illegal_threat_type', '"threat_type" must be "botnet_cc": reports name C2s.');
  const given = itemsUpTo(MAX_IOCS, iocs);
  if (given === undefined || given.length === 0 || !given.every(isIocText))
    return refusal('illegal_iocs', `"iocs" must be a list of 1 to ${MAX_IOCS} texts.`);
  const sha256 = hashIn(members);
  if (sha256 === undefined)
    return refusal(
      'illegal_hash',
      'A report needs the SHA-256 of the file that uses the C2: send it as "hash", or in "reference" or "comment".',
    );
  const tags = tagsOf(members);
  if (tags === undefined)
    return refusal(
      'illegal_tags',
      `"malware" and "tags" must be at most ${MAX_TAGS} visible texts.`,
    );
  const level = members['confidence_level'];
  if (level !== undefined && !isPercent(level))
    return refusal('illegal_confidence_level', '"confidence_level" must be from 0 to 100.');
  if (service !== undefined && typeof service !== 'string')
    return refusal('illegal_service', '"service" must be the short name of a service.');
  return {
    kind: 'submit',
    iocs: given.map((text) => ({ text, c2: c2In(text) })),
    sha256,
    tags,
    reference: typeof reference === 'string' && isReference(reference) ? reference : undefined,
    confidenceLevel: level,
    service,
  };
}

function isIocText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_IOC_LENGTH;
}

function isPercent(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 100;
}

function hashIn({ hash, reference, comment }: Members): string | undefined {
  if (hash !== undefined) return typeof hash === 'string' ? parseSha256(hash.trim()) : undefined;
  const texts = [reference, comment].filter((text) => typeof text === 'string');
  const [found] = texts.flatMap((text) => SHA256_IN_TEXT.exec(text) ?? []);
  return found === undefined ? undefined : parseSha256(found);
}

/** The family first; `unknown` is none. */
function tagsOf({ malware, tags = [] }: Members): readonly string[] | undefined {
  const family = typeof malware === 'string' ? malware.replace(PLATFORM, '') : '';
  const others = tags === null ? [] : itemsUpTo(MAX_TAGS - 1, tags);
  const isKnown = family !== '' && family !== 'unknown';
  const all = [...(isKnown ? [family] : []), ...(others ?? [''])];
  return all.every((tag) => typeof tag === 'string' && isTag(tag)) ? (all as string[]) : undefined;
}

/** `host:port`, or the host and port of a URL; IPv6 without brackets is ambiguous. */
function c2In(text: string): C2Address | undefined {
  if (!/^https?:\/\//i.test(text)) return parseC2Address(text);
  if (!URL.canParse(text)) return undefined;
  const { hostname, port, protocol } = new URL(text);
  return parseC2Address(`${hostname}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`);
}
