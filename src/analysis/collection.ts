import type {
  Evidence,
  Fact,
  Facts,
  Indicator,
  IndicatorKind,
  Member,
} from '../domain/samples/analysis.ts';
import type { Budget, Findings, Seen, TagMeaning } from './formats/format.ts';
import { LIMITS } from './limits.ts';
import { shownText } from './printable-text.ts';
import { Subject } from './subject.ts';

/** What no format owns. */
export const GENERAL_TAGS = {
  LIMIT_EXCEEDED: [2, 'A limit of the analysis was met: something of the file was left unread'],
  PARSER_FAILED: [1, 'One of our parsers failed on this file: a defect that we want to hear of'],
} as const satisfies Readonly<Record<string, TagMeaning>>;

type Tags = Readonly<Record<string, TagMeaning>>;

/** Everything that is found in one analysis, in the file and in what lies inside of it. */
export class Collection implements Budget {
  readonly evidence: Evidence[] = [];
  readonly indicators: Indicator[] = [];
  readonly facts: Record<string, Facts> = {};
  readonly members: Member[] = [];
  /** What still has to be looked at. */
  readonly waiting: Subject[] = [];
  readonly #deadline: number;
  readonly #perTag = new Map<string, { count: number; heat: number }>();
  readonly #knownIndicators = new Set<string>();
  readonly #limitsMet = new Set<string>();
  #bytesLeft: number = LIMITS.unpackedBytes;
  #membersLeft: number = LIMITS.members;
  #factsLeft: number = LIMITS.factsBytes;
  #factValuesLeft: number = LIMITS.factValues;

  constructor(deadline: number) {
    this.#deadline = deadline;
  }

  get bytesLeft(): number {
    return this.#bytesLeft;
  }

  get membersLeft(): number {
    return this.#membersLeft;
  }

  takeMember(): boolean {
    if (this.#membersLeft <= 0) return this.#met(`more than ${LIMITS.members} members`);
    this.#membersLeft -= 1;
    return true;
  }

  takeBytes(count: number): boolean {
    if (count > this.#bytesLeft)
      return this.#met(`more than ${LIMITS.unpackedBytes} bytes unpacked`);
    this.#bytesLeft -= count;
    return true;
  }

  /** What is looked at next: nothing where there is none, or no time for it. */
  next(): Subject | undefined {
    return this.waiting.length > 0 && !this.isOver() ? this.waiting.shift() : undefined;
  }

  isOver(): boolean {
    return performance.now() > this.#deadline && !this.#met('no time was left');
  }

  /** What `source` may say of a subject, with the tags that it owns. */
  findings(subject: Subject, source: string, tags: Tags): Findings {
    return {
      budget: this,
      tag: (name, seen) => this.tag(subject, source, name, tags[name]?.[0] ?? 1, seen),
      facts: (facts) => this.#addFacts(subject, source, facts),
      indicator: (kind, value, offset) => this.#addIndicator(subject, kind, value, offset),
      nest: (name, bytes) => this.#nest(subject, name, bytes),
      limit: (what) => void this.#met(`${source}: ${what}`, subject),
    };
  }

  tag(subject: Subject, source: string, tag: string, heat: number, seen: Seen = {}): void {
    const known = this.#perTag.get(tag) ?? { count: 0, heat: 0 };
    // The first of a tag is always kept, and what is hotter than all before: the report would say less without it.
    const isTelling = heat > known.heat;
    if (!isTelling && known.count >= LIMITS.evidencePerTag) return;
    if (!isTelling && this.evidence.length >= LIMITS.evidence) return;
    this.#perTag.set(tag, { count: known.count + 1, heat: Math.max(heat, known.heat) });
    this.evidence.push({
      tag,
      heat,
      source: shownText(source, LIMITS.sourceLength),
      ...(isWithin(subject, seen.offset) && { offset: seen.offset }),
      ...(seen.note !== undefined && { note: shownText(seen.note, 256) }),
      ...(subject.path !== '' && { member: subject.path }),
    });
  }

  /** Facts are told of the file itself: those of a thousand members would drown them. */
  #addFacts(subject: Subject, source: string, facts: Facts): void {
    if (subject.depth > 0) return;
    let values = 0;
    const json = JSON.stringify(facts, (_, value: unknown) => {
      values += 1;
      return fitting(value);
    });
    if (json.length > this.#factsLeft || values > this.#factValuesLeft) {
      this.#met(`${source}: more facts than are told`);
      return;
    }
    this.#factsLeft -= json.length;
    this.#factValuesLeft -= values;
    const known: { readonly [key: string]: Fact } = this.facts[source] ?? {};
    this.facts[source] = { ...known, ...JSON.parse(json) };
  }

  #addIndicator(subject: Subject, kind: IndicatorKind, text: string, offset: number): void {
    const value = shownText(text, LIMITS.textLength);
    const key = `${kind} ${value}`;
    if (this.#knownIndicators.has(key)) return;
    if (this.indicators.length >= LIMITS.indicators) {
      this.#met(`more than ${LIMITS.indicators} indicators`);
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

  #nest(parent: Subject, stated: string, bytes: Buffer): void {
    if (bytes.length === 0) return;
    if (parent.depth >= LIMITS.depth) {
      this.#met(`nested deeper than ${LIMITS.depth}`, parent);
      return;
    }
    const name = shownText(stated, 255);
    const path = shownText(parent.path === '' ? name : `${parent.path} → ${name}`, 1024);
    this.waiting.push(new Subject(bytes, name, path, parent.depth + 1));
  }

  /** Notes a limit, each once; `false`, to be returned by whoever met it. */
  #met(note: string, subject = new Subject(Buffer.alloc(0), '')): false {
    if (this.#limitsMet.has(note)) return false;
    this.#limitsMet.add(note);
    const [heat] = GENERAL_TAGS.LIMIT_EXCEEDED;
    this.tag(subject, 'engine', 'LIMIT_EXCEEDED', heat, { note });
    return false;
  }
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text;
}

/** A file may state any 64-bit number as a place: one outside of it says nothing, and is no longer exact. */
function isWithin({ bytes }: Subject, offset: number | undefined): offset is number {
  return Number.isSafeInteger(offset) && Number(offset) >= 0 && Number(offset) <= bytes.length;
}

/** No longer than what is taken from a worker. Names come from files too, and escapes make them longer. */
function fitting(value: unknown): unknown {
  if (typeof value === 'string') return cut(value, LIMITS.factLength);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [cut(name, LIMITS.factNameLength), inner]),
  );
}
