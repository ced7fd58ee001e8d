import { formatC2Address } from '../../../domain/reports/c2-address.ts';
import { invalidMisp, MAX_REPORTS, tooManyReports } from './misp-event.ts';
import { type FindLink, type LinkedUnits, linkFinder } from './misp-links.ts';
import type { MispC2, MispFile, MispUnit } from './misp-units.ts';

/** Repeated pairs count here. It bounds the time that an event with the same values can take. */
const MAX_PAIRS = 10 * MAX_REPORTS;

/** A C2 and the file that contacts it. */
export interface MispPair {
  readonly c2: MispC2;
  readonly file: MispFile;
  /** The unit of the C2. */
  readonly unit: MispUnit;
  readonly link: string | undefined;
}

/**
 * The reports of an event. The files of a C2 are those of its own unit; else those of units with a
 * reference from or to it; else all files of the event, if the event has one C2 or one file. Files
 * without a C2 are no reports.
 */
export function pairsOf(units: readonly MispUnit[]): readonly MispPair[] {
  const linked = linkedUnits(units);
  const whole = totalOf(units);
  const findLink = linkFinder(units, linked);
  const pairs = new Map<string, MispPair>();
  let count = 0;
  for (const unit of units) {
    if (unit.c2s.length === 0) continue;
    const files = filesOf(unit, linked.get(unit)) ?? whole.filesOf(unit);
    for (const pair of pairsOfUnit(unit, files, findLink)) {
      const key = `${formatC2Address(pair.c2.c2)} ${pair.file.sha256}`;
      if (!pairs.has(key)) pairs.set(key, pair);
      count += 1;
      if (pairs.size > MAX_REPORTS || count > MAX_PAIRS) throw tooManyReports();
    }
  }
  return [...pairs.values()];
}

function* pairsOfUnit(
  unit: MispUnit,
  files: readonly MispFile[],
  findLink: FindLink,
): Generator<MispPair> {
  for (const c2 of unit.c2s)
    for (const file of files) yield { c2, file, unit, link: findLink(unit, file) };
}

/** `undefined` if neither the unit nor those that are linked to it have a file. */
function filesOf(
  { files }: MispUnit,
  linked: ReadonlySet<MispUnit> | undefined,
): readonly MispFile[] | undefined {
  if (files.length > 0) return files;
  const found = [...(linked ?? [])].flatMap((unit) => unit.files);
  return found.length > 0 ? found : undefined;
}

/** References in both directions. */
function linkedUnits(units: readonly MispUnit[]): LinkedUnits {
  const owners = new Map<string, MispUnit>();
  for (const unit of units) for (const uuid of unit.uuids) owners.set(uuid, unit);
  const linked = new Map<MispUnit, Set<MispUnit>>();
  const link = (from: MispUnit, to: MispUnit) => {
    linked.set(from, (linked.get(from) ?? new Set()).add(to));
  };
  for (const unit of units)
    for (const uuid of unit.references) {
      const other = owners.get(uuid);
      if (other === undefined) continue;
      link(unit, other);
      link(other, unit);
    }
  return linked;
}

interface EventTotal {
  /** The files of a unit that nothing else ties to files. */
  filesOf(unit: MispUnit): readonly MispFile[];
}

const NO_C2 =
  'The event has no C2: it needs an attribute ip-dst|port or hostname|port, or an object with a host and a dst-port. Attributes that are deleted or have to_ids false are skipped.';
const NO_FILE =
  'The event has no file: it needs an attribute sha256 or filename|sha256 that is not deleted and has to_ids true.';

function totalOf(units: readonly MispUnit[]): EventTotal {
  const files = new Map<string, MispFile>();
  const c2s = new Set<string>();
  for (const unit of units) {
    for (const file of unit.files) if (!files.has(file.sha256)) files.set(file.sha256, file);
    for (const { c2 } of unit.c2s) c2s.add(formatC2Address(c2));
  }
  if (c2s.size === 0) throw invalidMisp(NO_C2);
  if (files.size === 0) throw invalidMisp(NO_FILE);
  const all = [...files.values()];
  return {
    filesOf({ c2s: [first] }) {
      if (c2s.size === 1 || files.size === 1) return all;
      throw invalidMisp(
        `${first?.attribute.path}: the event has ${c2s.size} C2s and ${files.size} files, and nothing says which file contacts this one. Put both in one object, add an ObjectReference between their objects, or send an event for each file.`,
      );
    },
  };
}
