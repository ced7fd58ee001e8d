import { hash } from 'node:crypto';
import { formatDuration } from '../domain/duration.ts';
import type { Analysis, Member } from '../domain/samples/analysis.ts';
import type { AnalysisReport } from '../domain/samples/analysis-report.ts';
import type { FileDigests } from '../ports/analyser.ts';
import { AnalysisTime, type Clocks } from './analysis-time.ts';
import { Collection } from './collection.ts';
import type { Extractor } from './extractors/extractor.ts';
import { extractors as ourExtractors } from './extractors/index.ts';
import { tagFailure } from './failures.ts';
import { FamilySettings, sourceOf } from './family-settings.ts';
import { type FileTypes, openFileTypes, UNKNOWN } from './file-type.ts';
import type { Format } from './formats/format.ts';
import { formats as ourFormats } from './formats/index.ts';
import { isPlain } from './formats/script/text.ts';
import { generalFindings, type TypedSubject } from './general-findings.ts';
import { digestsOf } from './hashing/digests.ts';
import { ssdeep } from './hashing/ssdeep.ts';
import { tlsh } from './hashing/tlsh.ts';
import { printableText } from './printable-text.ts';
import { RenewedRules } from './rules/renewed-rules.ts';
import type { RuleSource } from './rules/rule-source.ts';
import { openRules, type RuleMatch, restoreRules, ruleTags } from './rules/rules.ts';
import type { RulesImage } from './rules/yara/rules-image.ts';
import { Subject } from './subject.ts';
import { SubjectBatch } from './subject-batch.ts';
import { rankTags } from './tags.ts';

/** The formats and extractors of an engine. Tests pass their own. */
export interface EngineParts {
  readonly formats: readonly Format[];
  readonly extractors: readonly Extractor[];
  /** Those of the process by default. */
  readonly clocks?: Clocks;
}

export interface FileToAnalyse {
  readonly bytes: Buffer;
  readonly fileName: string;
  /** Computed by the engine if absent. */
  readonly digests?: FileDigests | undefined;
}

const MAX_TEXTS_DESCRIBED = 100;
const TEXT_SAMPLE_BYTES = 4096;
const PLAIN_TEXT: FileType = { description: 'text', mime: 'text/plain' };

/** With an image of the rules, they are not compiled again. */
export async function openEngine(
  sources: readonly RuleSource[],
  parts: EngineParts = { formats: ourFormats, extractors: ourExtractors },
  image?: RulesImage,
): Promise<Engine> {
  const open = () => openRules(sources);
  // First: other threads compile its module while the rules are opened.
  const fileTypes = openFileTypes();
  const rules = await (image === undefined ? open() : restoreRules(image));
  return new Engine(parts, new RenewedRules(rules, open), await fileTypes);
}

/**
 * Turns bytes into an analysis. It executes nothing that it reads, and uses no files and no
 * network.
 */
export class Engine {
  readonly #parts: EngineParts;
  readonly #rules: RenewedRules;
  readonly #fileTypes: FileTypes;

  constructor(parts: EngineParts, rules: RenewedRules, fileTypes: FileTypes) {
    this.#parts = parts;
    this.#rules = rules;
    this.#fileTypes = fileTypes;
  }

  get ruleProblems(): readonly string[] {
    return this.#rules.problems;
  }

  async analyse(file: FileToAnalyse, now: Date): Promise<Analysis> {
    const started = performance.now();
    const time = new AnalysisTime(this.#parts.clocks);
    const { bytes } = file;
    const digests = file.digests ?? (await digestsOf(bytes));
    const fuzzy = ssdeep(bytes);
    const locality = tlsh(bytes);
    const collection = new Collection(time);
    const subjects = this.#subjects(new Subject(bytes, file.fileName), digests.sha256, collection);
    const { configs, c2s, hasMoreC2s } = await this.#inspectAll(subjects, collection);
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
    const more = hasMoreC2s ? { hasMoreC2s } : {};
    const similarity = locality === undefined ? {} : { tlsh: locality };
    const details = { ...similarity, evidence, indicators, facts, members, c2s, ...more };
    return { report, details };
  }

  /**
   * Yields the file first, then its members, breadth first. Members with the same content and
   * extension are yielded once.
   */
  async *#subjects(
    file: Subject,
    fileSha256: string,
    collection: Collection,
  ): AsyncGenerator<DescribedSubject> {
    const known = new Map<string, FileType>();
    for (let subject: Subject | undefined = file; subject !== undefined; ) {
      const sha256 = subject === file ? fileSha256 : hash('sha256', subject.bytes);
      // The extension is part of the key because scripts are recognised by it.
      const key = `${sha256} ${subject.name.slice(subject.name.lastIndexOf('.')).toLowerCase()}`;
      const type: FileType = known.get(key) ?? (await this.#describe(subject, collection));
      if (subject !== file) collection.members.push(memberOf(subject, sha256, type));
      if (!known.has(key)) yield { subject, type };
      known.set(key, type);
      subject = collection.next();
    }
  }

  /**
   * libmagic takes milliseconds for a text and its description adds little, so it is skipped if
   * there are many members.
   */
  async #describe(subject: Subject, collection: Collection): Promise<FileType> {
    const { bytes } = subject;
    const isOneOfMany = collection.members.length >= MAX_TEXTS_DESCRIBED;
    if (isOneOfMany && isPlain(bytes.subarray(0, TEXT_SAMPLE_BYTES))) return PLAIN_TEXT;
    try {
      return { description: await this.#fileTypes.describe(bytes) };
    } catch (cause) {
      tagFailure(cause, { subject, source: 'libmagic', collection });
      return UNKNOWN;
    }
  }

  async #mime({ subject, type }: DescribedSubject, collection: Collection): Promise<string> {
    try {
      return type.mime ?? (await this.#fileTypes.mime(subject.bytes));
    } catch (cause) {
      tagFailure(cause, { subject, source: 'libmagic', collection });
      return UNKNOWN.mime;
    }
  }

  /** Analyses every subject and returns the settings of families. */
  async #inspectAll(
    subjects: AsyncIterable<DescribedSubject>,
    collection: Collection,
  ): Promise<FamilySettings> {
    const settings = new FamilySettings(collection);
    const batch = new SubjectBatch();
    for await (const described of subjects) {
      const { subject } = described;
      const isPart = await this.#inspect(described, collection);
      if (isPart) batch.add(subject);
      else if (subject.depth === 0 || !collection.isOver())
        await this.#applyRules(subject, collection);
      if (batch.isFull) await this.#applyRulesToBatch(batch, collection);
      if (subject.depth === 0 || !collection.isOver()) this.#extract(subject, settings, collection);
    }
    await this.#applyRulesToBatch(batch, collection);
    return settings;
  }

  /**
   * Runs the formats. Returns whether the subject is only a part of a program: rules then scan it
   * in a batch.
   */
  async #inspect(described: DescribedSubject, collection: Collection): Promise<boolean> {
    const { subject, type } = described;
    const matching = this.#parts.formats.filter((format) => matches(format, subject, collection));
    for (const format of matching) await inspect(format, subject, collection);
    const isOfKnownFormat = matching.length > 0;
    // General findings always cover the file itself. Members may be as large, and numerous.
    if (subject.depth === 0 || !collection.isOver()) {
      const isMimeUsed = subject.depth === 0 || !isOfKnownFormat;
      const mime = isMimeUsed ? await this.#mime(described, collection) : undefined;
      inspectGenerally({ subject, ...type, mime, isOfKnownFormat }, collection);
    }
    return isOfKnownFormat && matching.every(({ isPart }) => isPart === true) && subject.depth > 0;
  }

  async #applyRules(subject: Subject, collection: Collection): Promise<void> {
    for (const match of await this.#scan(subject.bytes, subject, collection))
      tagMatch(match, subject, collection);
  }

  /**
   * A scan takes milliseconds even for a tiny subject: scanning a thousand classes one by one would
   * take seconds.
   */
  async #applyRulesToBatch(batch: SubjectBatch, collection: Collection): Promise<void> {
    const joined = batch.take();
    if (joined === undefined || collection.isOver()) return;
    for (const match of await this.#scan(joined.bytes, joined.at(0).subject, collection)) {
      const { subject, offset } = joined.at(match.offset ?? 0);
      tagMatch({ ...match, offset }, subject, collection);
    }
  }

  async #scan(
    bytes: Buffer,
    subject: Subject,
    collection: Collection,
  ): Promise<readonly RuleMatch[]> {
    try {
      return await this.#rules.scan(bytes);
    } catch (cause) {
      tagFailure(cause, { subject, source: 'yara-x', collection });
      return [];
    }
  }

  #extract(subject: Subject, settings: FamilySettings, collection: Collection): void {
    for (const extractor of this.#parts.extractors) {
      try {
        settings.run(subject, extractor);
      } catch (cause) {
        tagFailure(cause, { subject, source: sourceOf(extractor), collection });
      }
    }
  }
}

/** A subject and its type according to libmagic. */
interface DescribedSubject {
  readonly subject: Subject;
  readonly type: FileType;
}

interface FileType {
  readonly description: string;
  /** Absent if it has not been determined. */
  readonly mime?: string;
}

function memberOf({ path, bytes }: Subject, sha256: string, { description }: FileType): Member {
  return { path, sizeBytes: bytes.length, sha256, type: printableText(description, 200) };
}

function tagMatch(match: RuleMatch, subject: Subject, collection: Collection): void {
  const source = `rule:${match.namespace}/${match.rule}`;
  for (const { name, heat, note } of ruleTags(match))
    collection.tag(subject, source, name, heat, { offset: match.offset, note });
}

function matches(format: Format, subject: Subject, collection: Collection): boolean {
  try {
    return format.matches(subject);
  } catch (cause) {
    tagFailure(cause, { subject, source: format.name, collection });
    return false;
  }
}

function inspectGenerally(typed: TypedSubject, collection: Collection): void {
  const { subject } = typed;
  try {
    generalFindings.inspect(
      typed,
      collection.findings(subject, generalFindings.name, generalFindings.tags),
    );
  } catch (cause) {
    tagFailure(cause, { subject, source: generalFindings.name, collection });
  }
}

async function inspect(format: Format, subject: Subject, collection: Collection): Promise<void> {
  try {
    await format.inspect(subject, collection.findings(subject, format.name, format.tags));
  } catch (cause) {
    tagFailure(cause, { subject, source: format.name, collection });
  }
}
