import { createDecipheriv } from 'node:crypto';
import { crc32, inflateRawSync } from 'node:zlib';
import type { Budget } from '../formats/format.ts';
import {
  contentOf,
  inflated,
  isOwnScript,
  type PyArchive,
  type PyEntry,
  parsePyArchive,
} from '../formats/pyinstaller/archive.ts';
import { readMarshal } from '../formats/pyinstaller/marshal.ts';
import { Reader } from '../reader.ts';
import { mergeChannels } from './exfiltration/channels.ts';
import { channelsInCode, textLists } from './exfiltration/python-code.ts';
import type { Extractor } from './extractor.ts';

/**
 * Blank Grabber is packed with PyInstaller. Its loader is a script; the rest is a file beside it:
 *
 *   blank.aes   AES-256-GCM, in newer versions packed with zlib and then turned around, of a ZIP
 *               that holds the compiled stub, `stub-o.pyc`: 16 bytes (12 before 3.7), then marshalled code
 *   loader      two constants in base64: the key (32 bytes) and the nonce (12 bytes)
 *
 * The stub is obfuscated, and has its webhook or "token$chat" in base64. The tag behind the ciphertext is not always there; that
 * the checksum in the ZIP is right proves the key as well.
 * Reference: https://github.com/Blank-c/Blank-Grabber, which describes its builds.
 */
const FILE = /(?:^|[\\/])blank\.aes$/i;
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_TRIES = 16;
/** The loader is one of them, and small. */
const MAX_SCRIPTS = 64;
const MAX_SCRIPT_BYTES = 4 * 1024 * 1024;
const PYTHON_3_7 = 307;

export const blankGrabber: Extractor = {
  family: 'blank_grabber',
  category: 'STEALER',
  pages: {
    blank_grabber: {
      name: 'Blank Grabber',
      reads: 'the Discord webhook, or the Telegram token and chat',
      versions:
        'builds with `blank.aes`, plain or packed and turned around; stubs as they are or in known layers',
      proof: 'the checksum of the stub in the decrypted ZIP',
      notCovered: 'stubs under other obfuscators: then the family is told, and no settings',
      references: ['https://github.com/Blank-c/Blank-Grabber'],
    },
  },

  matches: (subject) => subject.as(parsePyArchive) !== undefined,

  extract(subject, budget) {
    const archive = subject.as(parsePyArchive);
    const sealed = archive?.entries.find(({ name }) => FILE.test(name));
    const stub = archive && sealed && openStub(archive, sealed, budget);
    if (archive === undefined || stub === undefined) return undefined;
    const { version, offset } = archive;
    const limits = { maxBytes: MAX_BYTES, isOver: () => budget.isOver() };
    const code = readMarshal(stub.subarray(version < PYTHON_3_7 ? 12 : 16), version);
    const found = mergeChannels(channelsInCode(code, version, limits));
    return found ? { ...found, offset } : { unread: 'the stub is obfuscated otherwise', offset };
  },
};

/** The compiled stub, if one of the loader's constants opens it. */
function openStub(archive: PyArchive, sealed: PyEntry, budget: Budget): Buffer | undefined {
  const content = contentOf(sealed, MAX_BYTES);
  if (content === undefined) return undefined;
  const turned = Buffer.from(content).reverse();
  const forms = [content, inflated(turned, MAX_BYTES), inflated(content, MAX_BYTES)];
  for (const [key, nonce] of keysOf(archive, budget)) {
    for (const form of forms) {
      if (budget.isOver()) return undefined;
      const stub =
        form &&
        isZip(decrypted(form.subarray(0, 4), key, nonce)) &&
        stubOf(decrypted(form, key, nonce), budget);
      if (stub) return stub;
    }
  }
  return undefined;
}

/** Constants of the scripts of the right lengths, each key with each nonce. */
function keysOf({ entries, version }: PyArchive, budget: Budget): [key: Buffer, nonce: Buffer][] {
  const values = entries
    .filter(({ type, name }) => type === 's' && !isOwnScript(name))
    .slice(0, MAX_SCRIPTS)
    .flatMap((entry) => {
      const content = budget.isOver() ? undefined : contentOf(entry, MAX_SCRIPT_BYTES);
      return content ? textLists(readMarshal(content, version)).flat() : [];
    })
    .filter((text) => /^[A-Za-z0-9+/]{16,43}=?$/.test(text))
    .map((text) => Buffer.from(text, 'base64'));
  const keys = values.filter(({ length }) => length === KEY_BYTES).slice(0, MAX_TRIES);
  const nonces = values.filter(({ length }) => length === NONCE_BYTES).slice(0, MAX_TRIES);
  const pairs = keys.flatMap((key) => nonces.map((nonce): [Buffer, Buffer] => [key, nonce]));
  return pairs.slice(0, MAX_TRIES);
}

/** GCM is counter mode, beginning with 2; its tag, if there is one, comes out as noise behind the ZIP. */
function decrypted(bytes: Buffer, key: Buffer, nonce: Buffer): Buffer {
  const counter = Buffer.concat([nonce, Buffer.from([0, 0, 0, 2])]);
  const decipher = createDecipheriv('aes-256-ctr', key, counter);
  return Buffer.concat([decipher.update(bytes), decipher.final()]);
}

const LOCAL_HEADER = 0x04034b50;
const LOCAL_HEADER_BYTES = 30;
const STORED = 0;
const DEFLATED = 8;

function isZip(bytes: Buffer): boolean {
  return new Reader(bytes).u32(0) === LOCAL_HEADER;
}

/** The first member that is compiled Python, if its checksum is right. */
function stubOf(zip: Buffer, budget: Budget): Buffer | undefined {
  const reader = new Reader(zip);
  for (let at = 0; reader.u32(at) === LOCAL_HEADER && !budget.isOver(); ) {
    const header = reader.slice(at, LOCAL_HEADER_BYTES);
    if (header === undefined) return undefined;
    const nameLength = header.readUInt16LE(26);
    const start = at + LOCAL_HEADER_BYTES + nameLength + header.readUInt16LE(28);
    const packed = reader.slice(start, header.readUInt32LE(18));
    if (packed === undefined) return undefined;
    const name = zip.toString(
      'latin1',
      at + LOCAL_HEADER_BYTES,
      at + LOCAL_HEADER_BYTES + nameLength,
    );
    const content = name.endsWith('.pyc') ? memberOf(packed, header.readUInt16LE(8)) : undefined;
    if (content !== undefined && crc32(content) === header.readUInt32LE(14)) return content;
    at = start + packed.length;
  }
  return undefined;
}

function memberOf(packed: Buffer, method: number): Buffer | undefined {
  if (method === STORED) return packed;
  if (method !== DEFLATED) return undefined;
  try {
    return inflateRawSync(packed, { maxOutputLength: MAX_BYTES });
  } catch {
    return undefined;
  }
}
