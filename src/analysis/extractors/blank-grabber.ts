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
 * Blank Grabber is packed with PyInstaller. The archive has
 *
 * | entry | content |
 * |---|---|
 * | loader script | two base64 constants: the key (32 bytes) and the nonce (12 bytes) |
 * | `blank.aes` | AES-256-GCM of a ZIP; newer versions compress it with zlib and reverse it |
 * | in the ZIP: `stub-o.pyc` | 16 bytes of header (12 before Python 3.7), then marshalled code |
 *
 * The stub is obfuscated and has its webhook or "token$chat" in base64. The GCM tag may be missing;
 * the CRC-32 in the ZIP proves the key instead.
 *
 * Reference: https://github.com/Blank-c/Blank-Grabber
 */
const ENCRYPTED_FILE = /(?:^|[\\/])blank\.aes$/i;
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_TRIES = 16;
/** The loader is a small script among these. */
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
        'builds with `blank.aes`, plain or compressed and reversed; the stub plain or in known layers',
      proof: 'the checksum of the stub in the decrypted ZIP',
      notCovered: 'stubs of other obfuscators: the family is recognised without settings',
      references: ['https://github.com/Blank-c/Blank-Grabber'],
    },
  },

  matches: (subject) => subject.as(parsePyArchive) !== undefined,

  extract(subject, budget) {
    const archive = subject.as(parsePyArchive);
    const encrypted = archive?.entries.find(({ name }) => ENCRYPTED_FILE.test(name));
    const stub = archive && encrypted && decryptStub(archive, encrypted, budget);
    if (archive === undefined || stub === undefined) return undefined;
    const { version, offset } = archive;
    const limits = { maxBytes: MAX_BYTES, isOver: () => budget.isOver() };
    const code = readMarshal(stub.subarray(version < PYTHON_3_7 ? 12 : 16), version);
    const found = mergeChannels(channelsInCode(code, version, limits));
    return found ? { ...found, offset } : { unread: 'the stub is obfuscated otherwise', offset };
  },
};

/** The compiled stub, if constants of the loader decrypt it. */
function decryptStub(archive: PyArchive, encrypted: PyEntry, budget: Budget): Buffer | undefined {
  const content = contentOf(encrypted, MAX_BYTES);
  if (content === undefined) return undefined;
  const reversed = Buffer.from(content).reverse();
  const forms = [content, inflated(reversed, MAX_BYTES), inflated(content, MAX_BYTES)];
  for (const [key, nonce] of keysOf(archive, budget)) {
    for (const form of forms) {
      if (budget.isOver()) return undefined;
      const stub =
        form &&
        isZip(decryptGcm(form.subarray(0, 4), key, nonce)) &&
        stubOf(decryptGcm(form, key, nonce), budget);
      if (stub) return stub;
    }
  }
  return undefined;
}

/** Every pair of a key and a nonce among the constants of the scripts. */
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

/** GCM is counter mode from 2 on. A tag, if present, decrypts to garbage after the ZIP. */
function decryptGcm(bytes: Buffer, key: Buffer, nonce: Buffer): Buffer {
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

/** The first `.pyc` member whose CRC-32 is right. */
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
    const content = name.endsWith('.pyc')
      ? unpackMember(packed, header.readUInt16LE(8))
      : undefined;
    if (content !== undefined && crc32(content) === header.readUInt32LE(14)) return content;
    at = start + packed.length;
  }
  return undefined;
}

function unpackMember(packed: Buffer, method: number): Buffer | undefined {
  if (method === STORED) return packed;
  if (method !== DEFLATED) return undefined;
  try {
    return inflateRawSync(packed, { maxOutputLength: MAX_BYTES });
  } catch {
    return undefined;
  }
}
