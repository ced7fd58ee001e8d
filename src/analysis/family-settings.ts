import { formatC2Address } from '../domain/reports/c2-address.ts';
import type { FoundC2 } from '../domain/samples/analysis.ts';
import type { Collection } from './collection.ts';
import { addressOf } from './extractors/c2s.ts';
import type { Extraction, Extractor, Recognition } from './extractors/extractor.ts';
import { flatten, isCut } from './extractors/flatten.ts';
import type { EvidenceNote } from './formats/format.ts';
import { LIMITS } from './limits.ts';
import type { Subject } from './subject.ts';
import { tagName } from './tags.ts';

/**
 * On the scale of `docs/extending/tags.md`: decoded settings prove a family, other evidence only
 * makes it likely.
 */
const DECODED_HEAT = 10;
const RECOGNISED_HEAT = 9;
const CATEGORY_HEAT = 1;
/** A higher heat is reserved for the tag of a family. */
const MAX_CAPABILITY_HEAT = 8;
const HEURISTIC = 'by heuristics: likely, not proved';

/** The settings of families found in one file and its members. */
export class FamilySettings {
  readonly configs: Record<string, Readonly<Record<string, string>>> = {};
  readonly c2s: FoundC2[] = [];
  /** Whether there are C2s that are not in `c2s`. */
  hasMoreC2s = false;
  readonly #collection: Collection;
  readonly #knownC2s = new Set<string>();
  #lengthLeft: number = LIMITS.settingsLength;
  /** The extractions of the subject that was last analysed. */
  #reported: { readonly subject: Subject; readonly extractions: Extraction[] } | undefined;

  constructor(collection: Collection) {
    this.#collection = collection;
  }

  /** Runs one extractor on the subject and stores its result. Throws if the extractor throws. */
  run(subject: Subject, extractor: Extractor): void {
    if (!extractor.matches(subject)) return;
    const found = extractor.extract(subject, this.#collection, this.#extractionsOf(subject));
    if (found === undefined) return;
    const finding: Finding = {
      subject,
      extractor,
      family: tagName(found.family ?? extractor.family),
    };
    if ('unread' in found) this.#addRecognition(finding, found);
    else this.#addExtraction(finding, found);
  }

  #extractionsOf(subject: Subject): Extraction[] {
    if (this.#reported?.subject !== subject) this.#reported = { subject, extractions: [] };
    return this.#reported.extractions;
  }

  #addRecognition(finding: Finding, { offset, unread }: Recognition): void {
    this.#tagFamily(finding, RECOGNISED_HEAT, { offset, note: unread });
  }

  #addExtraction(finding: Finding, extraction: Extraction): void {
    const { offset, heuristic } = extraction;
    this.#extractionsOf(finding.subject).push(extraction);
    if (heuristic === true) this.#tagFamily(finding, RECOGNISED_HEAT, { offset, note: HEURISTIC });
    else this.#tagFamily(finding, DECODED_HEAT, { offset });
    this.#tagCapabilities(finding, extraction);
    this.#addConfig(finding, extraction);
    this.#addC2s(finding, extraction);
  }

  #tagFamily({ subject, extractor, family }: Finding, heat: number, evidence: EvidenceNote): void {
    const source = sourceOf(extractor);
    if (extractor.namesFamily !== false)
      this.#collection.tag(subject, source, family, heat, evidence);
    if (extractor.category !== undefined)
      this.#collection.tag(subject, source, tagName(extractor.category), CATEGORY_HEAT);
  }

  #tagCapabilities({ subject, extractor }: Finding, { capabilities, offset }: Extraction): void {
    for (const name of new Set(capabilities)) {
      const heat = extractor.tags?.[name]?.[0];
      // `docs/extending/tags.md` is generated from the declarations, so an undeclared tag is an
      // error.
      if (heat === undefined) throw new Error(`${name} is no tag of ${extractor.family}`);
      const cappedHeat = Math.min(heat, MAX_CAPABILITY_HEAT);
      this.#collection.tag(subject, sourceOf(extractor), tagName(name), cappedHeat, { offset });
    }
  }

  /**
   * If a family occurs more than once, its first settings are reported: they are those of the
   * outermost content.
   */
  #addConfig(finding: Finding, extraction: Extraction): void {
    const { family } = finding;
    if (Object.hasOwn(this.configs, family)) return;
    if (isCut(extraction)) this.#limit(finding, 'more settings or addresses than the limit');
    const config = Object.entries(flatten(extraction)).filter((entry) => this.#hasRoom(entry));
    if (config.length > 0) this.configs[family] = Object.fromEntries(config);
    if (this.#lengthLeft < 0) this.#limit(finding, 'settings longer than the limit');
  }

  /**
   * Settings after the first that does not fit are dropped too: an arbitrary selection would
   * mislead.
   */
  #hasRoom([name, text]: readonly [string, string]): boolean {
    if (this.#lengthLeft >= 0) this.#lengthLeft -= name.length + text.length;
    return this.#lengthLeft >= 0;
  }

  #addC2s(finding: Finding, { endpoints }: Extraction): void {
    if (endpoints.length > LIMITS.c2s) this.hasMoreC2s = true;
    for (const endpoint of endpoints.slice(0, LIMITS.c2s)) {
      const { usage } = endpoint;
      const address = usage === 'c2' ? addressOf(endpoint) : undefined;
      if (usage === 'dead-drop' || (usage === 'c2' && address === undefined))
        this.hasMoreC2s = true;
      if (address === undefined) continue;
      const key = formatC2Address(address);
      if (this.#knownC2s.has(key)) continue;
      if (this.c2s.length >= LIMITS.c2s) {
        this.hasMoreC2s = true;
        this.#limit(finding, `more than ${LIMITS.c2s} addresses`);
        return;
      }
      this.#knownC2s.add(key);
      this.c2s.push({ ...address, family: finding.family });
    }
  }

  #limit({ subject, extractor }: Finding, note: string): void {
    this.#collection.findings(subject, sourceOf(extractor), {}).limit(note);
  }
}

/** A result of an extractor. */
interface Finding {
  readonly subject: Subject;
  readonly extractor: Extractor;
  readonly family: string;
}

/** The source that evidence names. */
export function sourceOf({ family }: Pick<Extractor, 'family'>): string {
  return `extractor:${family}`;
}
