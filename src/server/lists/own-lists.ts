import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ListEntry } from '../../domain/lists/list-entry.ts';
import { type KnownAs, LIST_KINDS, type ListKind } from '../../domain/lists/list-kind.ts';
import { EntryReader, readWarningList } from '../../domain/lists/warning-list.ts';

interface OwnList extends KnownAs {
  readonly entries: readonly ListEntry[];
}

interface OwnLists {
  readonly lists: readonly OwnList[];
  /** Of the text of all files. */
  readonly digest: string;
}

let read: OwnLists | undefined;

/** The lists of the package, which do not change while the program runs. */
export function ownLists(): OwnLists {
  read ??= readFolder(ownFolder());
  return read;
}

/** `lists` and `src` are siblings in the repository and in the published package. */
function ownFolder(): string {
  return fileURLToPath(new URL('../../../lists/', import.meta.url));
}

function readFolder(folder: string): OwnLists {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort();
  const texts = files.map((name) => readFileSync(join(folder, name), 'utf8'));
  const digest = createHash('sha256');
  for (const text of texts) digest.update(text);
  return {
    lists: texts.map((text, index) => readOwnList(text, files[index] ?? '')),
    digest: digest.digest('base64url'),
  };
}

/** The format of MISP and the member `kind`. */
function readOwnList(text: string, file: string): OwnList {
  const value = JSON.parse(text) as { readonly kind?: unknown };
  const kind = LIST_KINDS.find((one) => one === value.kind);
  const list = readWarningList(value);
  if ('problem' in list) throw new Error(`lists/${file}: ${list.problem}`);
  if (kind === undefined) throw new Error(`lists/${file} has no kind: is the program complete?`);
  return { list: list.name, kind, entries: readEntries(list.entries, kind, file) };
}

function readEntries(texts: readonly string[], kind: ListKind, file: string): readonly ListEntry[] {
  const reader = new EntryReader(kind);
  const entries = texts.flatMap((text) => reader.read(text) ?? []);
  if (reader.problem !== undefined) throw new Error(`lists/${file}: ${reader.problem}`);
  return entries;
}
