import type { Budget } from '../../formats/format.ts';
import type { NativeProgram, Push } from '../../formats/pe/native-program.ts';

/**
 * Strings of StealC 1 and Vidar 1. Each is XORed with a key of the same length. One call decodes
 * each string:
 *
 *   6A length | 68 address of the key | 68 address of the text | at most 5 bytes | E8 call
 */
const MIN_TEXTS = 8;
/** Similar code in other programs decodes to garbage. */
const MIN_READABLE_SHARE = 0.6;
const MAX_TEXTS = 4_096;

const TEXT = /^[\t\r\n -~]+$/;

export interface DecodedText {
  readonly text: string;
  readonly offset: number;
}

const decoded = new WeakMap<NativeProgram, readonly DecodedText[]>();

/**
 * The strings in the order of the calls. Empty unless most are readable, and there are enough of
 * them. Cached, because several extractors use them.
 */
export function xorTexts(program: NativeProgram, budget: Budget): readonly DecodedText[] {
  const known = decoded.get(program);
  if (known !== undefined || budget.isOver()) return known ?? [];
  const texts = decodeTexts(program, budget);
  decoded.set(program, texts);
  return texts;
}

function decodeTexts(program: NativeProgram, budget: Budget): DecodedText[] {
  const texts: DecodedText[] = [];
  let tried = 0;
  for (const push of program.pushes) {
    if (tried >= MAX_TEXTS || (tried % 256 === 0 && budget.isOver())) break;
    const bytes = decode(program, push);
    if (bytes === undefined) continue;
    tried += 1;
    const text = bytes.toString('latin1');
    if (TEXT.test(text)) texts.push({ text, offset: push.offset });
  }
  return texts.length >= MIN_TEXTS && texts.length >= tried * MIN_READABLE_SHARE ? texts : [];
}

/** `undefined` if the code is not such a call. */
function decode(program: NativeProgram, { length, address, next }: Push): Buffer | undefined {
  const { bytes, reader } = program;
  if (length <= 0 || bytes[next] !== 0x68) return undefined;
  const textAddress = reader.u32(next + 1);
  if (textAddress === undefined || !bytes.subarray(next + 5, next + 11).includes(0xe8))
    return undefined;
  const key = program.bytesAt(address, length);
  const encoded = program.bytesAt(textAddress, length);
  if (key === undefined || encoded === undefined) return undefined;
  return Buffer.from(encoded.map((byte, index) => byte ^ (key[index] ?? 0)));
}
