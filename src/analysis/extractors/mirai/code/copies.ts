import { parseElf } from '../../../formats/elf/file.ts';
import type { Subject } from '../../../subject.ts';
import { copiesOnAarch64 } from './aarch64.ts';
import { copiesOnArm } from './arm.ts';
import { copiesOnM68k } from './m68k.ts';
import { type Copy, type Memory, memoryOf } from './memory.ts';
import { copiesOnMips } from './mips.ts';
import { copiesOnPowerPc } from './powerpc.ts';
import { copiesOnThumb } from './thumb.ts';
import { copiesOnX86 } from './x86.ts';

type CopyReader = (memory: Memory) => readonly Copy[];

/** By the number of the processor in the ELF header. */
const READERS: Readonly<Record<number, readonly CopyReader[]>> = {
  3: [(memory) => copiesOnX86(memory, 32)],
  4: [copiesOnM68k],
  8: [copiesOnMips],
  20: [copiesOnPowerPc],
  40: [copiesOnArm, copiesOnThumb],
  62: [(memory) => copiesOnX86(memory, 64)],
  183: [copiesOnAarch64],
};

/** Calls that pass a constant text, in the order of the code; a list for each instruction set. */
export function copiesIn(subject: Subject): readonly (readonly Copy[])[] {
  const elf = subject.as(parseElf);
  if (elf === undefined) return [];
  const memory = memoryOf(subject.bytes, elf);
  return (READERS[elf.header.machine] ?? []).map((read) =>
    read(memory).toSorted((one, other) => one.at - other.at),
  );
}
