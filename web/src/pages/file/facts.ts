import type { LookedUpFile } from './file.ts';

type Facts = LookedUpFile['details']['facts'];

export interface FileSection {
  readonly name: string;
  readonly offset: number;
  readonly size: number;
  readonly entropy: number;
}

/** The sections of the file, whatever format has them. */
export function sectionsOf(facts: Facts): readonly FileSection[] {
  for (const values of Object.values(facts)) {
    const { sections } = values;
    if (Array.isArray(sections) && sections.some(isSection)) return sections.filter(isSection);
  }
  return [];
}

function isSection(value: unknown): value is FileSection {
  if (!isRecord(value)) return false;
  const { name, offset, size, entropy } = value;
  return (
    typeof name === 'string' &&
    typeof offset === 'number' &&
    typeof size === 'number' &&
    typeof entropy === 'number'
  );
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const WORDS: Readonly<Record<string, string>> = {
  pe: 'PE',
  elf: 'ELF',
  macho: 'Mach-O',
  dotnet: '.NET',
  file: 'File',
  zip: 'Zip',
  ole: 'OLE',
  mime: 'MIME type',
  mvid: 'MVID',
  com: 'COM',
  imphash: 'Import hash',
  authentihash: 'Authentihash',
  tlsCallbacks: 'TLS callbacks',
};

/** `isTimestampHash` is `Timestamp hash`; names that a file gives itself stay as they are. */
export function labelOf(name: string): string {
  const known = WORDS[name];
  if (known !== undefined) return known;
  if (!/^[a-z][a-zA-Z0-9]*$/.test(name)) return name;
  const words = name
    .replace(/^(?:is|has)(?=[A-Z])/, '')
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
