import type { Analysis } from '../domain/analysis.ts';
import type { AnalysisReport } from '../domain/analysis-report.ts';
import { formatDuration } from '../domain/duration.ts';
import type { FileDigests } from '../ports/analyser.ts';
import { Collection, GENERAL_TAGS } from './collection.ts';
import { content } from './content.ts';
import { digestsOf } from './digests.ts';
import type { Extraction, Extractor } from './extractors/extractor.ts';
import { flatten } from './extractors/flatten.ts';
import { extractors as ourExtractors } from './extractors/index.ts';
import { type FileTypes, openFileTypes } from './file-type.ts';
import type { Format } from './formats/format.ts';
import { formats as ourFormats } from './formats/index.ts';
import { rankTags, tagName } from './heat.ts';
import { LIMITS } from './limits.ts';
import { openRules, type RuleSource, type Rules, ruleTags } from './rules.ts';
import { ssdeep } from './ssdeep.ts';
import { Subject } from './subject.ts';
import { shownText } from './text.ts';

/** What the engine is put together from; tests put in their own. */
export interface EngineParts {
  readonly formats: readonly Format[];
  readonly extractors: readonly Extractor[];
}

export interface FileToAnalyse {
  readonly bytes: Buffer;
  readonly fileName: string;
  /** Where they are known already. */
  readonly digests?: FileDigests | undefined;
}

const FAMILY_DECODED_HEAT = 10;
const CATEGORY_HEAT = 1;

export async function openEngine(
  sources: readonly RuleSource[],
  parts: EngineParts = { formats: ourFormats, extractors: ourExtractors },
): Promise<Engine> {
  return new Engine(parts, await openRules(sources), await openFileTypes());
}

/** Bytes in, report out. It runs nothing of what it reads, and reaches for nothing outside of its memory. */
export class Engine {
  readonly #parts: EngineParts;
  readonly #rules: Rules;
  readonly #fileTypes: FileTypes;

  constructor(parts: EngineParts, rules: Rules, fileTypes: FileTypes) {
    this.#parts = parts;
    this.#rules = rules;
    this.#fileTypes = fileTypes;
  }

  get ruleProblems(): readonly string[] {
    return this.#rules.problems;
  }

  async analyse(file: FileToAnalyse, now: Date): Promise<Analysis> {
    const started = performance.now();
    const { bytes } = file;
    const digests = file.digests ?? (await digestsOf(bytes));
    const fuzzy = ssdeep(bytes);
    const collection = new Collection(started + LIMITS.softTimeMs);
    const configs = await this.#lookAtAll(new Subject(bytes, file.fileName), collection);
    const report: AnalysisReport = {
      ...digests,
      date: now,
      ssdeep: fuzzy,
      tags: rankTags(collection.evidence),
      configs,
      fileName: file.fileName,
      sizeBytes: bytes.length,
      duration: formatDuration(performance.now() - started),
    };
    const { evidence, indicators, facts, members } = collection;
    return { report, details: { evidence, indicators, facts, members } };
  }

  /** The file first, then what lies inside, layer by layer; the settings that were found. */
  async #lookAtAll(file: Subject, collection: Collection): Promise<AnalysisReport['configs']> {
    const configs: Record<string, Readonly<Record<string, string>>> = {};
    for (let subject: Subject | undefined = file; subject !== undefined; ) {
      await this.#lookAt(subject, collection);
      for (const [family, config] of this.#extract(subject, collection)) configs[family] ??= config;
      subject = collection.isOver() ? undefined : collection.waiting.shift();
    }
    return configs;
  }

  async #lookAt(subject: Subject, collection: Collection): Promise<void> {
    const type = this.#fileTypes.describe(subject.bytes);
    const matching = this.#parts.formats.filter((format) => format.matches(subject));
    for (const format of matching) await inspect(format, subject, collection);
    content.inspect(
      { subject, type, isOfKnownFormat: matching.length > 0 },
      collection.findings(subject, content.name, content.tags),
    );
    this.#applyRules(subject, collection);
    if (subject.depth === 0) return;
    const { sha256 } = await digestsOf(subject.bytes);
    const { path, bytes } = subject;
    const sizeBytes = bytes.length;
    collection.members.push({ path, sizeBytes, sha256, type: shownText(type.description, 200) });
  }

  #applyRules(subject: Subject, collection: Collection): void {
    for (const match of this.#rules.scan(subject.bytes)) {
      const source = `rule:${match.namespace}/${match.rule}`;
      for (const { name, heat, note } of ruleTags(match)) {
        collection.tag(subject, source, name, heat, { offset: match.offset, note });
      }
    }
  }

  *#extract(
    subject: Subject,
    collection: Collection,
  ): Generator<[family: string, config: Readonly<Record<string, string>>]> {
    for (const extractor of this.#parts.extractors) {
      const source = `extractor:${extractor.family}`;
      const extraction = extracted(extractor, subject, (cause) =>
        noteFailure(cause, { subject, source, collection }),
      );
      if (extraction === undefined) continue;
      const family = tagName(extractor.family);
      collection.tag(subject, source, family, FAMILY_DECODED_HEAT, { offset: extraction.offset });
      if (extractor.category !== undefined)
        collection.tag(subject, source, tagName(extractor.category), CATEGORY_HEAT);
      yield [family, flatten(extraction)];
    }
  }
}

async function inspect(format: Format, subject: Subject, collection: Collection): Promise<void> {
  try {
    await format.inspect(subject, collection.findings(subject, format.name, format.tags));
  } catch (cause) {
    noteFailure(cause, { subject, source: format.name, collection });
  }
}

function extracted(
  extractor: Extractor,
  subject: Subject,
  onFailure: (cause: unknown) => void,
): Extraction | undefined {
  try {
    return extractor.matches(subject) ? extractor.extract(subject) : undefined;
  } catch (cause) {
    onFailure(cause);
    return undefined;
  }
}

interface Failed {
  readonly subject: Subject;
  readonly source: string;
  readonly collection: Collection;
}

/** A parser that fails is a defect of ours; the report is made all the same, and says so. */
function noteFailure(cause: unknown, { subject, source, collection }: Failed): void {
  const note = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
  const tag = isOutOfMemory(cause) ? 'LIMIT_EXCEEDED' : 'PARSER_FAILED';
  collection.tag(subject, source, tag, GENERAL_TAGS[tag][0], { note });
}

/** What the kernel refuses comes as a range error, of Buffers and of WebAssembly alike. */
function isOutOfMemory(cause: unknown): boolean {
  return cause instanceof RangeError && /allocat|memory/i.test(cause.message);
}
