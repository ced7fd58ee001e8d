import { isReference } from '../../../domain/reports/report.ts';
import { isObject, type Members, textOf } from './members.ts';

/**
 * A report in XARF, as far as a feed uses it. Members of version 3 have other names, which the
 * error texts quote.
 */
export interface XarfMembers {
  readonly names: Readonly<Record<'type' | 'host' | 'port' | 'server' | 'hash' | 'tags', string>>;
  readonly id: unknown;
  readonly type: string;
  readonly host: unknown;
  readonly port: unknown;
  readonly server: unknown;
  /** Possible hashes of the file, the preferred ones first; lists are alternatives. */
  readonly hashes: readonly (readonly unknown[])[];
  readonly family: unknown;
  readonly tags: unknown;
  readonly confidence: unknown;
  readonly reference: unknown;
}

/** `undefined` if the body is neither version 4 nor version 3. */
export function xarfMembers(body: unknown): XarfMembers | undefined {
  if (!isObject(body)) return undefined;
  const { xarf_version: version, Version: oldVersion } = body;
  if (typeof version === 'string' && /^4\.\d{1,4}\.\d{1,4}$/.test(version)) return fromXarf4(body);
  if (version === undefined && /^3(?:\.\d{1,4}){0,2}$/.test(textOf(oldVersion)))
    return fromXarf3(body);
  return undefined;
}

/**
 * The specification has no member for the file and for a link. Our own exports have them as a tag
 * and as evidence, others in members of their own.
 */
function fromXarf4(body: Members): XarfMembers {
  const custom = membersOf(body['custom']);
  const { fileTags, tags } = divideTags(body['tags']);
  return {
    names: {
      type: 'category must be "infrastructure" and type "botnet"',
      host: 'source_identifier',
      port: 'source_port',
      server: 'c2_server',
      hash: 'hash',
      tags: 'tags',
    },
    id: body['report_id'],
    type: `${textOf(body['category'])}/${textOf(body['type'])}`,
    host: body['source_identifier'],
    port: body['source_port'],
    server: body['c2_server'],
    hashes: [
      [body['hash']],
      [custom['hash']],
      fileTags,
      evidenceHashes(body['evidence'], 'content_type', 'hash'),
    ],
    family: body['malware_family'],
    tags,
    confidence: body['confidence'],
    reference: body['reference'] ?? custom['reference'] ?? linkIn(body['evidence']),
  };
}

/** Tags that are the SHA-256 of a file, and all others. */
function divideTags(tags: unknown): {
  readonly fileTags: readonly unknown[];
  readonly tags: unknown;
} {
  if (!Array.isArray(tags) || tags.length > MAX_SEARCHED_TAGS) return { fileTags: [], tags };
  const isFile = (tag: unknown) => typeof tag === 'string' && FILE_TAG.test(tag);
  return { fileTags: tags.filter(isFile), tags: tags.filter((tag) => !isFile(tag)) };
}

/** XARF allows 20; lists with many more are refused later. */
const MAX_SEARCHED_TAGS = 1000;
const FILE_TAG = /^sha256:[0-9a-f]{64}$/;
/** Longer evidence is not our link. */
const MAX_LINK_PAYLOAD = 4096;

/** The first link of a list of links in the evidence that can be that of a report. */
function linkIn(evidence: unknown): string | undefined {
  if (!Array.isArray(evidence)) return undefined;
  const list = evidence
    .slice(0, MAX_EVIDENCE)
    .find((item) => isObject(item) && item['content_type'] === 'text/uri-list');
  const payload = textOf(list?.['payload']);
  if (payload === '' || payload.length > MAX_LINK_PAYLOAD) return undefined;
  return Buffer.from(payload, 'base64').toString().split(/\r?\n/).find(isReference);
}

/** The most that XARF allows. */
const MAX_EVIDENCE = 50;

/** Evidence of these types describes the incident; other evidence is the file. */
const DESCRIPTIONS = /^(?:text\/|image\/|message\/|application\/(?:json|pdf)\b)/i;

/** The hashes of the evidence that may be the file. */
function evidenceHashes(evidence: unknown, type: string, hash: string): readonly unknown[] {
  if (!Array.isArray(evidence)) return [];
  const files = evidence
    .slice(0, MAX_EVIDENCE)
    .filter((item) => isObject(item) && !DESCRIPTIONS.test(textOf(item[type])));
  return files.map((item) => item[hash]).filter((value) => value !== undefined);
}

/** XARF 3 has the report in `Report`, in one of two layouts that are in use. */
function fromXarf3(body: Members): XarfMembers {
  const report = membersOf(body['Report']);
  const source = membersOf(report['Source']);
  const details = membersOf(report['AdditionalInfo']);
  const evidence = report['Samples'] ?? report['Attachment'];
  return {
    names: {
      type: 'Report.ReportType must be "Botnet"',
      host: 'Report.SourceIp',
      port: 'Report.SourcePort',
      server: 'Report.AdditionalInfo.C2Server',
      hash: 'Report.Hash',
      tags: 'Report.Tags',
    },
    id: undefined,
    type: textOf(report['ReportType']).toLowerCase(),
    host: report['SourceIp'] ?? source['IP'],
    port: report['SourcePort'] ?? source['Port'],
    server: details['C2Server'],
    hashes: [[report['Hash'] ?? details['Hash']], evidenceHashes(evidence, 'ContentType', 'Hash')],
    family: details['MalwareFamily'],
    tags: report['Tags'],
    confidence: undefined,
    reference: undefined,
  };
}

function membersOf(value: unknown): Members {
  return isObject(value) ? value : {};
}
