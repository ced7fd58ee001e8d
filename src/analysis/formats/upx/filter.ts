/**
 * Filters change calls and jumps before packing, so that those to the same target have the same
 * bytes: the relative distance becomes an absolute offset from the start of the filtered bytes.
 *
 *   14, 15, 16           x86: after E8, E9 or both: 32 bits, big-endian
 *   24, 25, 26, 46, 49   x86: after E8, E9 or both, with 49 after 0F 80…8F too: a mark byte, then
 *                        24 bits, big-endian
 *   50, 51               ARM, little and big-endian: the low 24 bits of BL, in words
 *   52                   AArch64: the low 26 bits of B and BL, in words
 *
 * Filters 16, 26, 49 and 50 were verified by packing programs and comparing; the others follow the
 * same pattern and are untested. The documentation of UPX (https://upx.github.io/) only mentions
 * that filters exist. Code under other filters is left unchanged, which does not affect texts and
 * settings.
 */
export interface Filter {
  readonly id: number;
  /** The byte that marks changed instructions. */
  readonly mark: number;
}

const CALL = 0xe8;
const JUMP = 0xe9;
const X86_OPENERS: ReadonlyMap<number, readonly number[]> = new Map([
  [0x14, [CALL]],
  [0x15, [JUMP]],
  [0x16, [CALL, JUMP]],
  [0x24, [CALL]],
  [0x25, [JUMP]],
  [0x26, [CALL, JUMP]],
  [0x46, [CALL, JUMP]],
  [0x49, [CALL, JUMP]],
]);
const LAST_WITHOUT_MARK = 0x16;
const WITH_CONDITIONS = 0x49;
const ARM = 0x50;
const ARM_BIG_ENDIAN = 0x51;
const AARCH64 = 0x52;

/** Changes the bytes in place; `false` if the filter is unknown. */
export function undoFilter(code: Buffer, { id, mark }: Filter): boolean {
  const openers = X86_OPENERS.get(id);
  if (openers !== undefined && id <= LAST_WITHOUT_MARK) undoUnmarked(code, openers);
  else if (openers !== undefined)
    undoX86(code, { openers, mark, hasConditions: id === WITH_CONDITIONS });
  else if (id === ARM || id === ARM_BIG_ENDIAN) undoArm(code, id === ARM_BIG_ENDIAN);
  else if (id === AARCH64) undoAarch64(code);
  else return id === 0;
  return true;
}

function undoUnmarked(code: Buffer, openers: readonly number[]): void {
  const last = code.length - 5;
  for (let at = 0; at <= last; at += 1) {
    if (!openers.includes(code[at] as number)) continue;
    code.writeInt32LE((code.readInt32BE(at + 1) - at - 1) | 0, at + 1);
    at += 4;
  }
}

interface X86Filter {
  readonly openers: readonly number[];
  readonly mark: number;
  readonly hasConditions: boolean;
}

function undoX86(code: Buffer, { openers, mark, hasConditions }: X86Filter): void {
  const last = code.length - 5;
  for (let at = 0; at <= last; at += 1) {
    if (code[at + 1] !== mark) continue;
    const isCondition = hasConditions && code[at - 1] === 0x0f && ((code[at] ?? 0) & 0xf0) === 0x80;
    if (!isCondition && !openers.includes(code[at] as number)) continue;
    const target = code.readUIntBE(at + 2, 3);
    code.writeInt32LE(target - at - 1, at + 1);
    at += 4;
  }
}

function undoArm(code: Buffer, bigEndian: boolean): void {
  for (let at = 0; at + 4 <= code.length; at += 4) {
    const word = bigEndian ? code.readUInt32BE(at) : code.readUInt32LE(at);
    if (((word >>> 24) & 0x0f) !== 0x0b) continue;
    const changed = ((word & 0xff00_0000) | ((word - at / 4) & 0x00ff_ffff)) >>> 0;
    if (bigEndian) code.writeUInt32BE(changed, at);
    else code.writeUInt32LE(changed, at);
  }
}

function undoAarch64(code: Buffer): void {
  for (let at = 0; at + 4 <= code.length; at += 4) {
    const word = code.readUInt32LE(at);
    if ((word & 0x7c00_0000) !== 0x1400_0000) continue;
    const changed = ((word & 0xfc00_0000) | ((word - at / 4) & 0x03ff_ffff)) >>> 0;
    code.writeUInt32LE(changed, at);
  }
}
