import type { Fact, Facts } from '../../../domain/samples/analysis.ts';
import { printableText } from '../../printable-text.ts';
import type { PeFile } from './file.ts';
import { type PeSection, SECTION_EXECUTE, SECTION_READ, SECTION_WRITE } from './image.ts';
import type { ImportedLibrary } from './imports/imports.ts';
import { characteristicNames, hex, machineName, subsystemName } from './names.ts';

/** How much of each table is shown. With the longest texts the total stays below 60 KB. */
const SHOWN = {
  sections: 96,
  libraries: 64,
  functions: 512,
  functionCharacters: 12_000,
  exports: 128,
  exportCharacters: 3_000,
  resources: 64,
  resourceCharacters: 4_000,
  strings: 64,
  stringCharacters: 4_000,
  rich: 48,
  name: 96,
  text: 256,
} as const;

export function factsOf(pe: PeFile): Facts {
  return {
    ...headerFacts(pe),
    sections: pe.sections.slice(0, SHOWN.sections).map(sectionFact),
    sectionCount: pe.sections.length,
    ...importFacts(pe),
    ...(pe.exports && { exports: exportFact(pe.exports) }),
    resources: resourcesFact(pe.resources),
    resourceCount: pe.resources.length,
    ...(pe.version && { version: versionFact(pe.version) }),
    ...(pe.executionLevel !== undefined && { executionLevel: pe.executionLevel }),
    ...(pe.rich && { rich: richFact(pe.rich) }),
    ...(pe.overlay && { overlay: { ...pe.overlay } }),
    ...(pe.debug.pdbPath !== undefined && { pdbPath: printableText(pe.debug.pdbPath, SHOWN.text) }),
    ...(pe.com && { com: { ...pe.com } }),
    ...signatureFacts(pe),
    ...(pe.malformed.length > 0 && { malformed: [...pe.malformed] }),
  };
}

function headerFacts(pe: PeFile): Facts {
  return {
    bits: pe.is64 ? 64 : 32,
    machine: machineName(pe),
    subsystem: subsystemName(pe),
    characteristics: characteristicNames(pe),
    timestamp: new Date(pe.timestamp * 1000).toISOString(),
    isTimestampHash: pe.debug.isReproducible,
    linkerVersion: pe.linkerVersion,
    entryPoint: hex(pe.entryPoint),
    imageBase: hex(pe.imageBase),
    checksum: { stored: hex(pe.checksum), computed: hex(pe.computedChecksum) },
    tlsCallbacks: pe.tlsCallbacks.count,
  };
}

function sectionFact(section: PeSection): Fact {
  return {
    name: printableText(section.name, 32),
    virtualAddress: section.virtualAddress,
    virtualSize: section.virtualSize,
    offset: section.rawOffset,
    size: section.rawSize,
    access: accessOf(section),
    entropy: section.entropy === undefined ? null : Number(section.entropy.toFixed(3)),
  };
}

/** In the notation of `ls`: `r-x`. */
function accessOf({ characteristics }: PeSection): string {
  const may = (bit: number, letter: string) => ((characteristics & bit) === 0 ? '-' : letter);
  return may(SECTION_READ, 'r') + may(SECTION_WRITE, 'w') + may(SECTION_EXECUTE, 'x');
}

function importFacts(pe: PeFile): Facts {
  const budget = new TextBudget(SHOWN.functions + SHOWN.libraries, SHOWN.functionCharacters);
  return {
    ...(pe.imphash !== undefined && { imphash: pe.imphash }),
    importCount: pe.imports.reduce((sum, { functions }) => sum + functions.length, 0),
    imports: librariesFact(pe.imports, budget),
    ...(pe.delayImports.length > 0 && { delayImports: librariesFact(pe.delayImports, budget) }),
  };
}

function librariesFact(libraries: readonly ImportedLibrary[], budget: TextBudget): Fact[] {
  return libraries.slice(0, SHOWN.libraries).flatMap(({ library, functions }) => {
    const [shown] = budget.take([library]);
    if (shown === undefined) return [];
    return [{ library: shown, functions: budget.take(functions.map(({ name }) => name)) }];
  });
}

function exportFact({ library, functionCount, names }: NonNullable<PeFile['exports']>): Fact {
  return {
    library: printableText(library, SHOWN.name),
    functionCount,
    names: new TextBudget(SHOWN.exports, SHOWN.exportCharacters).take(names),
  };
}

function resourcesFact(resources: PeFile['resources']): Fact[] {
  const budget = new TextBudget(2 * SHOWN.resources, SHOWN.resourceCharacters);
  return resources.slice(0, SHOWN.resources).flatMap(({ type, name, ...location }) => {
    const [shownType, shownName] = budget.take([type, name]);
    if (shownType === undefined || shownName === undefined) return [];
    return [{ type: shownType, name: shownName, ...location }];
  });
}

function versionFact({ fileVersion, strings }: NonNullable<PeFile['version']>): Fact {
  const budget = new TextBudget(SHOWN.strings, SHOWN.stringCharacters);
  const shown = Object.entries(strings).flatMap(([key, value]) => {
    const [shownKey, text] = budget.take([key, value], SHOWN.text);
    return shownKey === undefined || text === undefined ? [] : [[shownKey, text] as const];
  });
  return { ...Object.fromEntries(shown), ...(fileVersion !== undefined && { fileVersion }) };
}

function richFact({ hash, isChecksumRight, entries }: NonNullable<PeFile['rich']>): Fact {
  return {
    hash,
    isChecksumRight,
    entries: entries.slice(0, SHOWN.rich).map((entry) => ({ ...entry })),
  };
}

function signatureFacts({ authentihash, signature }: PeFile): Facts {
  if (signature === undefined) return { authentihash };
  if (signature === 'unreadable') return { authentihash, signature: 'unreadable' };
  const { signer, isSignatureRight, hidden, ...plain } = signature;
  return {
    authentihash,
    signature: {
      ...plain,
      isSignatureRight: isSignatureRight ?? null,
      ...(hidden && { hidden: hidden.map((one) => ({ ...one })) }),
      ...(signer && {
        signer: {
          ...signer,
          subject: printableText(signer.subject, SHOWN.text),
          issuer: printableText(signer.issuer, SHOWN.text),
        },
      }),
    },
  };
}

/** A budget of texts and characters. */
class TextBudget {
  #textsLeft: number;
  #charactersLeft: number;

  constructor(texts: number, characters: number) {
    this.#textsLeft = texts;
    this.#charactersLeft = characters;
  }

  take(texts: readonly string[], maxLength: number = SHOWN.name): string[] {
    const fitting: string[] = [];
    for (const text of texts) {
      const shown = printableText(text, maxLength);
      if (this.#textsLeft === 0 || shown.length > this.#charactersLeft) break;
      this.#textsLeft -= 1;
      this.#charactersLeft -= shown.length;
      fitting.push(shown);
    }
    return fitting;
  }
}
