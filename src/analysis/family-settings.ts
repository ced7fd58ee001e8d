import { formatC2Address } from '../domain/reports/c2-address.ts';
import type { FoundC2 } from '../domain/samples/analysis.ts';
import type { Collection } from './collection.ts';
import { addressOf } from './extractors/c2s.ts';
import type { Extraction, Extractor, Recognition } from './extractors/extractor.ts';
import { flatten, isCut } from './extractors/flatten.ts';
import type { Seen } from './formats/format.ts';
import { LIMITS } from './limits.ts';
import type { Subject } from './subject.ts';
import { tagName } from './tags.ts';

/** By the scale of `docs/extending/tags.md`: settings that were decoded say most; what is only likely says less. */
const DECODED_HEAT = 10;
const RECOGNISED_HEAT = 9;
const CATEGORY_HEAT = 1;
/** More would be the word of a family. */
const MOST_CAPABILITY_HEAT = 8;
const HEURISTIC = 'by heuristics: likely, not proved';

/** The settings of families that were found in one file, in all that lies inside of it. */
export class Settings {
  readonly configs: Record<string, Readonly<Record<string, string>>> = {};
  readonly c2s: FoundC2[] = [];
  readonly #collection: Collection;
  readonly #knownC2s = new Set<string>();
  #lengthLeft: number = LIMITS.settingsLength;
  /** The last whose family was found with its settings. */
  #explained: Subject | undefined;

  constructor(collection: Collection) {
    this.#collection = collection;
  }

  /** Hands the subject to one extractor, and keeps what it proves. It may throw: a defect, for the caller to tell. */
  look(subject: Subject, extractor: Extractor): void {
    // What a family's settings have told already need not be found once more without knowing whose it is.
    if (extractor.namesFamily === false && this.#explained === subject) return;
    if (!extractor.matches(subject)) return;
    const found = extractor.extract(subject, this.#collection);
    if (found === undefined) return;
    const finding: Finding = {
      subject,
      extractor,
      family: tagName(found.family ?? extractor.family),
    };
    if ('unread' in found) this.#recognised(finding, found);
    else this.#decoded(finding, found);
  }

  #recognised(finding: Finding, { offset, unread }: Recognition): void {
    this.#tagFamily(finding, RECOGNISED_HEAT, { offset, note: unread });
  }

  #decoded(finding: Finding, extraction: Extraction): void {
    const { offset, heuristic } = extraction;
    if (finding.extractor.namesFamily !== false) this.#explained = finding.subject;
    if (heuristic === true) this.#tagFamily(finding, RECOGNISED_HEAT, { offset, note: HEURISTIC });
    else this.#tagFamily(finding, DECODED_HEAT, { offset });
    this.#tagCapabilities(finding, extraction);
    this.#keepConfig(finding, extraction);
    this.#keepC2s(finding, extraction);
  }

  #tagFamily({ subject, extractor, family }: Finding, heat: number, seen: Seen): void {
    const source = sourceOf(extractor);
    if (extractor.namesFamily !== false) this.#collection.tag(subject, source, family, heat, seen);
    if (extractor.category !== undefined)
      this.#collection.tag(subject, source, tagName(extractor.category), CATEGORY_HEAT);
  }

  #tagCapabilities({ subject, extractor }: Finding, { capabilities, offset }: Extraction): void {
    for (const name of new Set(capabilities)) {
      const heat = extractor.tags?.[name]?.[0];
      // Only what it declares: the list of tags is made from the declarations.
      if (heat === undefined) throw new Error(`${name} is no tag of ${extractor.family}`);
      const most = Math.min(heat, MOST_CAPABILITY_HEAT);
      this.#collection.tag(subject, sourceOf(extractor), tagName(name), most, { offset });
    }
  }

  /** Of a family that is there more than once, the settings that were found first: they lie nearest to the file. */
  #keepConfig(finding: Finding, extraction: Extraction): void {
    const { family } = finding;
    if (Object.hasOwn(this.configs, family)) return;
    if (isCut(extraction)) this.#limit(finding, 'more settings or addresses than are told');
    const config = Object.entries(flatten(extraction)).filter((entry) => this.#hasRoom(entry));
    if (config.length > 0) this.configs[family] = Object.fromEntries(config);
    if (this.#lengthLeft < 0) this.#limit(finding, 'settings that are too long to be told');
  }

  /** From the first that does not fit on there is none: settings that come and go would say something wrong. */
  #hasRoom([name, text]: readonly [string, string]): boolean {
    if (this.#lengthLeft >= 0) this.#lengthLeft -= name.length + text.length;
    return this.#lengthLeft >= 0;
  }

  #keepC2s(finding: Finding, { endpoints }: Extraction): void {
    for (const endpoint of endpoints.slice(0, LIMITS.c2s)) {
      const address = endpoint.usage === 'c2' ? addressOf(endpoint) : undefined;
      if (address === undefined) continue;
      const key = formatC2Address(address);
      if (this.#knownC2s.has(key)) continue;
      if (this.c2s.length >= LIMITS.c2s) {
        this.#limit(finding, `more than ${LIMITS.c2s} addresses`);
        return;
      }
      this.#knownC2s.add(key);
      this.c2s.push({ ...address, family: finding.family });
    }
  }

  #limit({ subject, extractor }: Finding, what: string): void {
    this.#collection.findings(subject, sourceOf(extractor), {}).limit(what);
  }
}

/** Whose settings were found, where, and by whom. */
interface Finding {
  readonly subject: Subject;
  readonly extractor: Extractor;
  readonly family: string;
}

/** What evidence says that it comes from. */
export function sourceOf({ family }: Pick<Extractor, 'family'>): string {
  return `extractor:${family}`;
}
