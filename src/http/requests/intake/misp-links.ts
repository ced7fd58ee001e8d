import type { MispFile, MispUnit } from './misp-units.ts';

export type LinkedUnits = ReadonlyMap<MispUnit, ReadonlySet<MispUnit>>;

/** Finds the link of a pair of a C2 and a file. */
export type FindLink = (unitOfC2: MispUnit, file: MispFile) => string | undefined;

/**
 * The link of a pair is that of the unit of the C2; else that of a unit that a reference ties to
 * this unit or to that of the file; else the first link of the event that nothing refers to.
 */
export function linkFinder(units: readonly MispUnit[], linked: LinkedUnits): FindLink {
  const ofUnits = new Map(units.map((unit) => [unit, tiedLink(linked.get(unit))]));
  const unitOfFile = new Map(units.flatMap((unit) => unit.files.map((file) => [file, unit])));
  const ofEvent = units.find(
    (unit) => isOnlyLink(unit) && unit.links.length > 0 && !linked.has(unit),
  );
  return (unit, file) => {
    const other = unitOfFile.get(file);
    const tied = ofUnits.get(unit) ?? (other && ofUnits.get(other));
    return unit.links[0] ?? tied ?? ofEvent?.links[0];
  };
}

function isOnlyLink({ c2s, files }: MispUnit): boolean {
  return c2s.length === 0 && files.length === 0;
}

function tiedLink(units: ReadonlySet<MispUnit> = new Set()): string | undefined {
  for (const unit of units) if (isOnlyLink(unit) && unit.links[0]) return unit.links[0];
  return undefined;
}
