import { isHighEntropy } from '../../hashing/entropy.ts';
import type { PeFile } from './file.ts';
import { type PeSection, SECTION_EXECUTE, SECTION_WRITE } from './image.ts';

const PACKERS = {
  UPX: /^(?:UPX[0-9!]|\.UPX[0-9])/,
  ASPACK: /^(?:\.aspack|\.adata|ASPack)$/,
  THEMIDA: /^(?:\.themida|Themida|\.winlice|WinLicen)$/,
  VMPROTECT: /^\.vmp[0-9]$/,
  MPRESS: /^\.MPRESS[12]$/,
  ENIGMA: /^\.enigma[12]$/,
  PECOMPACT: /^(?:PEC2|pec[12]|PECompac)/,
  NSPACK: /^\.?nsp[0-9]$/,
  PETITE: /^\.petite$/,
} as const;

export type Packer = keyof typeof PACKERS;

/** Packers that use known section names. */
export function packersOf(pe: PeFile): readonly { packer: Packer; section: PeSection }[] {
  return Object.entries(PACKERS).flatMap(([packer, name]) => {
    const section = pe.sections.find((candidate) => name.test(candidate.name));
    // The keys of the table have this type.
    return section === undefined ? [] : [{ packer: packer as Packer, section }];
  });
}

/** Numeric tables can have nearly the entropy of compressed data; code cannot. */
const HIGH_DATA_BITS = 7.5;

/** Resources are excluded: images and icons are compressed in any program. */
export function denseSectionOf(pe: PeFile): PeSection | undefined {
  return pe.sections.find(({ name, rawSize, characteristics, entropy = 0 }) => {
    if (name === '.rsrc' || !isHighEntropy(entropy, rawSize)) return false;
    return (characteristics & SECTION_EXECUTE) !== 0 || entropy >= HIGH_DATA_BITS;
  });
}

/** Older drivers have discardable code in writable sections of these names. */
const DRIVER_SECTIONS = /^(?:INIT|PAGE)/;

export function writableCodeOf(pe: PeFile): PeSection | undefined {
  return pe.sections.find(
    ({ name, characteristics }) =>
      (characteristics & SECTION_WRITE) !== 0 &&
      (characteristics & SECTION_EXECUTE) !== 0 &&
      !(isNative(pe) && DRIVER_SECTIONS.test(name)),
  );
}

export function isDll(pe: PeFile): boolean {
  return (pe.characteristics & 0x2000) !== 0;
}

function isNative(pe: PeFile): boolean {
  return pe.subsystem === 1;
}

export function isEfi(pe: PeFile): boolean {
  return pe.subsystem >= 10 && pe.subsystem <= 13;
}

const KERNEL_LIBRARY = /^(?:ntoskrnl\.exe|hal\.dll|.*\.sys)$/i;

/** Native programs without kernel imports run early in the boot process and are no drivers. */
export function isDriver(pe: PeFile): boolean {
  return isNative(pe) && pe.imports.some(({ library }) => KERNEL_LIBRARY.test(library));
}

const FEW_IMPORTS = 5;

/** Only for programs that should have imports: not .NET, firmware, or libraries with only data. */
export function scarceImportsOf(pe: PeFile): 'none' | 'few' | undefined {
  if (pe.com !== undefined || isEfi(pe) || isNative(pe) || pe.entryPoint === 0) return undefined;
  const count = [...pe.imports, ...pe.delayImports].reduce(
    (sum, { functions }) => sum + functions.length,
    0,
  );
  if (count === 0) return 'none';
  return count <= FEW_IMPORTS ? 'few' : undefined;
}
