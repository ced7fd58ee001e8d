import { parseDotnet } from '../../src/analysis/formats/dotnet/file.ts';

const LDSTR = 0x72;

/**
 * Replaces literals of a .NET program with others of any length, without a compiler and without
 * large fixtures. The new `#US` heap is at the end of the file.
 */
export function withLiterals(program: Buffer, changes: Readonly<Record<string, string>>): Buffer {
  const file = parseDotnet(program);
  const stream = file?.metadata.streams.find(({ name }) => name === '#US');
  if (file === undefined || stream === undefined) throw new Error('no program with literals');
  const { heaps, offset: root } = file.metadata;
  const changed = Buffer.from(program);
  const original = Buffer.from(program.subarray(stream.offset, stream.offset + stream.size));
  const heap: Buffer[] = [original];
  let index = stream.size;
  const existing = [...heaps.userStrings()];
  for (const [from, to] of Object.entries(changes)) {
    const literal = existing.find(({ text }) => text === from);
    if (literal === undefined) throw new Error(`no literal ${from}`);
    // The old literal is overwritten with spaces, so that the offsets of the others stay.
    original.fill(
      ' ',
      literal.offset - stream.offset,
      literal.offset - stream.offset + from.length * 2,
      'utf16le',
    );
    redirect(changed, literal.token, 0x70000000 + index);
    const added = userString(to);
    heap.push(added);
    index += added.length;
  }
  const header = changed.indexOf('#US\0', root, 'latin1') - 8;
  changed.writeUInt32LE(program.length - root, header);
  changed.writeUInt32LE(index, header + 4);
  return Buffer.concat([changed, ...heap]);
}

/** Changes every `ldstr` of one token to the other. */
function redirect(program: Buffer, from: number, to: number): void {
  const instruction = Buffer.alloc(5, LDSTR);
  instruction.writeUInt32LE(from, 1);
  for (
    let at = program.indexOf(instruction);
    at !== -1;
    at = program.indexOf(instruction, at + 1)
  ) {
    program.writeUInt32LE(to, at + 1);
  }
}

/** Compressed length in four bytes (ECMA-335, II.23.2), UTF-16LE, flag byte. */
function userString(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf16le');
  const length = Buffer.alloc(4);
  length.writeUInt32BE((0xc0000000 | (bytes.length + 1)) >>> 0);
  return Buffer.concat([length, bytes, Buffer.alloc(1)]);
}
