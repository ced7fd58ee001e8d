import type {
  Evidence,
  Fact,
  Facts,
  Indicator,
  IndicatorKind,
  Member,
} from '../domain/samples/analysis.ts';
import type { AnalysisTime } from './analysis-time.ts';
import type { Budget, EvidenceNote, Findings, TagMeaning } from './formats/format.ts';
import { LIMITS } from './limits.ts';
import { printableText } from './printable-text.ts';
import { Subject } from './subject.ts';

/** Tags that belong to no format. */
export const GENERAL_TAGS = {
  LIMIT_EXCEEDED: [2, 'The analysis reached one of its limits: part of the file was not read'],
  PARSER_FAILED: [1, 'One of our parsers failed on this file: a defect, please report it'],
} as const satisfies Readonly<Record<string, TagMeaning>>;

type Tags = Readonly<Record<string, TagMeaning>>;

/** Collects the results of one analysis, of the file and of all its members, within the limits. */
export class Collection implements Budget {
  readonly evidence: Evidence[] = [];
  readonly indicators: Indicator[] = [];
  readonly facts: Record<string, Facts> = {};
  readonly members: Member[] = [];
  /** Contents that have not been analysed yet. */
  readonly pending: Subject[] = [];
  readonly #time: Pick<AnalysisTime, 'isOver'>;
  readonly #perTag = new Map<string, { count: number; heat: number }>();
  readonly #knownIndicators = new Set<string>();
  readonly #reportedLimits = new Set<string>();
  #bytesLeft: number = LIMITS.unpackedBytes;
  #membersLeft: number = LIMITS.members;
  #factsLeft: number = LIMITS.factsBytes;
  #factValuesLeft: number = LIMITS.factValues;

  constructor(time: Pick<AnalysisTime, 'isOver'>) {
    this.#time = time;
  }

  get bytesLeft(): number {
    return this.#bytesLeft;
  }

  get membersLeft(): number {
    return this.#membersLeft;
  }

  takeMember(): boolean {
    if (this.#membersLeft <= 0) return this.#reportLimit(`more than ${LIMITS.members} members`);
    this.#membersLeft -= 1;
    return true;
  }

  takeBytes(count: number): boolean {
    if (count > this.#bytesLeft)
      return this.#reportLimit(`more than ${LIMITS.unpackedBytes} bytes unpacked`);
    this.#bytesLeft -= count;
    return true;
  }

  /** The next content to analyse; `undefined` if there is none or the time is over. */
  next(): Subject | undefined {
    return this.pending.length > 0 && !this.isOver() ? this.pending.shift() : undefined;
  }

  isOver(): boolean {
    return this.#time.isOver() && !this.#reportLimit('no time was left');
  }

  /**
   * The interface through which `source` reports on a subject, limited to the tags that it
   * declares.
   */
  findings(subject: Subject, source: string, tags: Tags): Findings {
    return {
      budget: this,
      tag: (name, evidence) => this.tag(subject, source, name, tags[name]?.[0] ?? 1, evidence),
      facts: (facts) => this.#addFacts(subject, source, facts),
      indicator: (kind, value, offset) => this.#addIndicator(subject, kind, value, offset),
      nest: (name, bytes) => this.#nest(subject, name, bytes),
      limit: (note) => void this.#reportLimit(`${source}: ${note}`, subject),
    };
  }

  tag(
    subject: Subject,
    source: string,
    tag: string,
    heat: number,
    evidence: EvidenceNote = {},
  ): void {
    const known = this.#perTag.get(tag) ?? { count: 0, heat: 0 };
    // The first evidence for a tag and evidence that raises its heat are always stored: the
    // analysis would lose a tag, or heat, without them.
    const raisesHeat = heat > known.heat;
    if (!raisesHeat && known.count >= LIMITS.evidencePerTag) return;
    if (!raisesHeat && this.evidence.length >= LIMITS.evidence) return;
    this.#perTag.set(tag, { count: known.count + 1, heat: Math.max(heat, known.heat) });
    this.evidence.push({
      tag,
      heat,
      source: printableText(source, LIMITS.sourceLength),
      ...(isWithin(subject, evidence.offset) && { offset: evidence.offset }),
      ...(evidence.note !== undefined && { note: printableText(evidence.note, 256) }),
      ...(subject.path !== '' && { member: subject.path }),
    });
  }

  /**
   * Only facts of the file itself are stored: those of a thousand members would use up the limit.
   */
  #addFacts(subject: Subject, source: string, facts: Facts): void {
    if (subject.depth > 0) return;
    let values = 0;
    const json = JSON.stringify(facts, (_, value: unknown) => {
      values += 1;
      return fitToLimits(value);
    });
    if (json.length > this.#factsLeft || values > this.#factValuesLeft) {
      this.#reportLimit(`${source}: more facts than the limit`);
      return;
    }
    this.#factsLeft -= json.length;
    this.#factValuesLeft -= values;
    const known: { readonly [key: string]: Fact } = this.facts[source] ?? {};
    this.facts[source] = { ...known, ...JSON.parse(json) };
  }

  #addIndicator(subject: Subject, kind: IndicatorKind, text: string, offset: number): void {
    const value = printableText(text, LIMITS.textLength);
    const key = `${kind} ${value}`;
    if (this.#knownIndicators.has(key)) return;
    if (this.indicators.length >= LIMITS.indicators) {
      this.#reportLimit(`more than ${LIMITS.indicators} indicators`);
      return;
    }
    this.#knownIndicators.add(key);
    this.indicators.push({
      kind,
      value,
      offset: isWithin(subject, offset) ? offset : 0,
      ...(subject.path !== '' && { member: subject.path }),
    });
  }

  #nest(parent: Subject, statedName: string, bytes: Buffer): void {
    if (bytes.length === 0) return;
    if (parent.depth >= LIMITS.depth) {
      this.#reportLimit(`nested deeper than ${LIMITS.depth}`, parent);
      return;
    }
    const name = printableText(statedName, 255);
    const path = printableText(parent.path === '' ? name : `${parent.path} → ${name}`, 1024);
    this.pending.push(new Subject(bytes, name, path, parent.depth + 1));
  }

  /** Records each limit once. Returns `false`, for the caller to return. */
  #reportLimit(note: string, subject = new Subject(Buffer.alloc(0), '')): false {
    if (this.#reportedLimits.has(note)) return false;
    this.#reportedLimits.add(note);
    const [heat] = GENERAL_TAGS.LIMIT_EXCEEDED;
    this.tag(subject, 'engine', 'LIMIT_EXCEEDED', heat, { note });
    return false;
  }
}

function cut(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1).toWellFormed()}…` : text;
}

/**
 * Whether an offset lies in the content. A file may state any 64-bit number as an offset; one
 * outside is meaningless, and above 2^53 inexact.
 */
function isWithin({ bytes }: Subject, offset: number | undefined): offset is number {
  return Number.isSafeInteger(offset) && Number(offset) >= 0 && Number(offset) <= bytes.length;
}

/** Cuts values and names to the lengths that `validate-response.ts` accepts. */
function fitToLimits(value: unknown): unknown {
  if (typeof value === 'string') return cut(value, LIMITS.factLength);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [cut(name, LIMITS.factNameLength), inner]),
  );
}
