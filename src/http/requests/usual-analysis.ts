import { isVisible } from '../../domain/reports/report.ts';
import type { AnalysisReport, HeatTag } from '../../domain/samples/analysis-report.ts';
import { parseHexDigest } from '../../domain/samples/file-hash.ts';

/** More tags than any file has. */
export const MAX_ANALYSIS_TAGS = 64;
/** Deeper than any settings. Serializing deeply nested arrays would overflow the stack. */
export const MAX_DEPTH = 32;

const MEMBERS = 12;
const MAX_NAME = 64;

/** PostgreSQL has no year 0. */
const DATE = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

export function parseDate(text: string): Date | undefined {
  if (!DATE.test(text)) return undefined;
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return undefined;
  // `Date` rolls over February 30th and 24 o'clock, but nothing before the 28th and 23 o'clock.
  const mayRollOver = text.slice(8, 10) > '28' || text.slice(11, 13) > '23';
  return mayRollOver && !date.toISOString().startsWith(text.slice(0, 19)) ? undefined : date;
}

/** Whether the value can be serialized again with all its members. */
export function isSerializable(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depth > MAX_DEPTH) return false;
  // Copying an object would set its prototype instead of a member of this name.
  if (Object.hasOwn(value, '__proto__')) return false;
  for (const key in value)
    if (!isSerializable((value as Readonly<Record<string, unknown>>)[key], depth + 1)) return false;
  return true;
}

/**
 * Reads an analysis without the schema, which is slower. Returns `undefined` for
 * every line that it does not recognise, valid or not: the schema decides about those, and states
 * the problems. What is returned equals the output of the schema.
 */
export function readUsualAnalysis(value: unknown): AnalysisReport | undefined {
  if (!isObject(value) || Object.keys(value).length !== MEMBERS) return undefined;
  const { ssDeep, fileName, staticAnalysisDuration, sizeInBytes, configs } = value;
  const date = typeof value['date'] === 'string' ? parseDate(value['date']) : undefined;
  const tags = readTags(value['tags']);
  const digests = readDigests(value);
  if (date === undefined || tags === undefined || digests === undefined) return undefined;
  if (!isText(ssDeep, 256) || !isText(fileName, 1024) || !isText(staticAnalysisDuration, 64))
    return undefined;
  if (!isCount(sizeInBytes) || !isConfigs(configs)) return undefined;
  return {
    date,
    tags,
    ssdeep: ssDeep,
    configs,
    ...digests,
    fileName,
    sizeBytes: sizeInBytes,
    duration: staticAnalysisDuration,
  };
}

type Members = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A shorter text in UTF-16 units has at most that many characters, which the schema counts. */
function isText(value: unknown, max: number): value is string {
  return typeof value === 'string' && value.length <= max;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function readDigests(
  value: Members,
): Pick<AnalysisReport, 'md5' | 'sha1' | 'sha256' | 'sha512' | 'blake3'> | undefined {
  const md5 = readDigest(value['mD5Hash'], 16);
  const sha1 = readDigest(value['sha1Hash'], 20);
  const sha256 = readDigest(value['sha256Hash'], 32);
  const sha512 = readDigest(value['sha512Hash'], 64);
  const blake3 = readDigest(value['blake3Hash'], 32);
  if (md5 === undefined || sha1 === undefined || sha256 === undefined) return undefined;
  if (sha512 === undefined || blake3 === undefined) return undefined;
  return { md5, sha1, sha256, sha512, blake3 };
}

function readDigest(value: unknown, bytes: number): string | undefined {
  return typeof value === 'string' ? parseHexDigest(value, bytes) : undefined;
}

function readTags(value: unknown): readonly HeatTag[] | undefined {
  if (!Array.isArray(value) || value.length > MAX_ANALYSIS_TAGS) return undefined;
  const tags: HeatTag[] = [];
  for (const tag of value) {
    if (!isObject(tag) || Object.keys(tag).length !== 2) return undefined;
    const { heat, name } = tag;
    if (!isCount(heat) || heat < 1 || heat > 10 || !isName(name)) return undefined;
    tags.push({ heat, name });
  }
  return tags;
}

function isName(value: unknown): value is string {
  return isText(value, MAX_NAME) && isVisible(value);
}

function isConfigs(value: unknown): value is AnalysisReport['configs'] {
  if (!isObject(value) || !isSerializable(value)) return false;
  for (const family in value) if (!isName(family) || !isObject(value[family])) return false;
  return true;
}
