import { DIRECTORY } from './headers.ts';
import type { PeImage } from './image.ts';

/**
 * Resources are a tree of directories; its levels are usually type, name and language.
 *
 *   directory   12 bytes, then named entries u16, numbered entries u16, then the entries
 *   entry       u32 id, or (top bit set) offset of a text: u16 length, UTF-16LE
 *               u32 offset of a leaf, or (top bit set) of a directory
 *   leaf        u32 address of the content, u32 size, u32 code page, u32 reserved
 *
 * Offsets are relative to the root. A hostile tree may have cycles or shared branches, so each
 * directory is visited once. Reference: "PE Format",
 * learn.microsoft.com/windows/win32/debug/pe-format.
 */
export interface PeResource {
  /** `RCDATA`, `ICON`, …; otherwise the name or the id as stated. */
  readonly type: string;
  /** An id is formatted as text. */
  readonly name: string;
  readonly language: number;
  /** The offset in the file. */
  readonly offset: number;
  /** As stated; it may exceed the file. */
  readonly size: number;
}

const TYPES: Readonly<Record<number, string>> = {
  1: 'CURSOR',
  2: 'BITMAP',
  3: 'ICON',
  4: 'MENU',
  5: 'DIALOG',
  6: 'STRING',
  7: 'FONTDIR',
  8: 'FONT',
  9: 'ACCELERATOR',
  10: 'RCDATA',
  11: 'MESSAGETABLE',
  12: 'GROUP_CURSOR',
  14: 'GROUP_ICON',
  16: 'VERSION',
  17: 'DLGINCLUDE',
  19: 'PLUGPLAY',
  20: 'VXD',
  21: 'ANICURSOR',
  22: 'ANIICON',
  23: 'HTML',
  24: 'MANIFEST',
};

const MAX_ENTRIES = 8192;
const MAX_RESOURCES = 4096;
const MAX_DEPTH = 8;
const MAX_NAME = 256;
const TOP_BIT = 0x8000_0000;

type Key = number | string;

interface Directory {
  readonly offset: number;
  readonly path: readonly Key[];
}

export function readResources(image: PeImage): readonly PeResource[] {
  const root = image.directory(DIRECTORY.resource);
  return root === undefined ? [] : new ResourceWalk(image, root.rva).all();
}

class ResourceWalk {
  readonly #image: PeImage;
  readonly #root: number;
  readonly #entered = new Set<number>([0]);
  readonly #found: PeResource[] = [];
  #entriesLeft = MAX_ENTRIES;

  constructor(image: PeImage, root: number) {
    this.#image = image;
    this.#root = root;
  }

  all(): readonly PeResource[] {
    const pending: Directory[] = [{ offset: 0, path: [] }];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      // Reversed, so that the list has the order of the file.
      pending.push(...this.#open(next).reverse());
    }
    return this.#found;
  }

  /** Records the leaves of a directory and returns its subdirectories. */
  #open({ offset, path }: Directory): Directory[] {
    const head = this.#bytes(offset, 16);
    if (head === undefined) return [];
    const count = head.readUInt16LE(12) + head.readUInt16LE(14);
    const inside: Directory[] = [];
    for (let index = 0; index < count; index++) {
      if (!this.#takeEntry()) break;
      const entry = this.#bytes(offset + 16 + index * 8, 8);
      if (entry === undefined) break;
      const key = this.#key(entry.readUInt32LE(0));
      const target = entry.readUInt32LE(4);
      const below = [...path, key];
      if (target < TOP_BIT) this.#addLeaf(target, below);
      else if (this.#enter(target - TOP_BIT, below.length)) {
        inside.push({ offset: target - TOP_BIT, path: below });
      }
    }
    return inside;
  }

  #takeEntry(): boolean {
    if (this.#entriesLeft === 0 || this.#found.length >= MAX_RESOURCES) {
      this.#image.truncated.add('resources');
      return false;
    }
    this.#entriesLeft -= 1;
    return true;
  }

  #enter(offset: number, depth: number): boolean {
    if (this.#entered.has(offset) || depth > MAX_DEPTH) {
      this.#image.malformed.add('the resource tree runs in a ring or is too deep');
      return false;
    }
    this.#entered.add(offset);
    return true;
  }

  #key(value: number): Key {
    if (value < TOP_BIT) return value;
    const at = value - TOP_BIT;
    const length = this.#image.bytesAt(this.#root + at, 2);
    if (length?.length !== 2) return '';
    const bytes = Math.min(length.readUInt16LE(0), MAX_NAME) * 2;
    return (this.#image.bytesAt(this.#root + at + 2, bytes) ?? Buffer.alloc(0)).toString('utf16le');
  }

  #addLeaf(at: number, [type = 0, name = 0, language = 0]: readonly Key[]): void {
    const leaf = this.#bytes(at, 16);
    const offset = leaf === undefined ? undefined : this.#image.rvaToOffset(leaf.readUInt32LE(0));
    if (leaf === undefined || offset === undefined) return;
    const size = leaf.readUInt32LE(4);
    if (!this.#image.reader.has(offset, size)) {
      this.#image.malformed.add('a resource reaches beyond the file');
    }
    this.#found.push({
      type: typeof type === 'number' ? (TYPES[type] ?? String(type)) : type,
      name: String(name),
      language: typeof language === 'number' ? language : 0,
      offset,
      size,
    });
  }

  #bytes(offset: number, size: number): Buffer | undefined {
    const bytes = this.#image.bytesAt(this.#root + offset, size);
    if (bytes?.length === size) return bytes;
    this.#image.malformed.add('the resource tree points outside of the file');
    return undefined;
  }
}
