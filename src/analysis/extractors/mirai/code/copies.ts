import { parseElf } from '../../../formats/elf/file.ts';
import type { Subject } from '../../../subject.ts';
import { copiesOnAarch64 } from './aarch64.ts';
import { copiesOnArm } from './arm.ts';
import { copiesOnM68k } from './m68k.ts';
import { type Copy, type Memory, memoryOf } from './memory.ts';
import { copiesOnMips } from './mips.ts';
import { copiesOnPowerPc } from './powerpc.ts';
import { copiesOnX86 } from './x86.ts';

/** Processors by their number in the ELF header, 32-bit code unless stated. */
const READERS: Readonly<Record<number, (memory: Memory) => readonly Copy[]>> = {
  3: (memory) => copiesOnX86(memory, 32),
  4: copiesOnM68k,
  8: copiesOnMips,
  20: copiesOnPowerPc,
  40: copiesOnArm,
  62: (memory) => copiesOnX86(memory, 64),
  183: copiesOnAarch64,
};

/** Calls that pass a constant text, in the order of the code. */
export function copiesIn(subject: Subject): readonly Copy[] {
  const elf = subject.as(parseElf);
  const reader = elf && READERS[elf.header.machine];
  if (elf === undefined || reader === undefined) return [];
  return reader(memoryOf(subject.bytes, elf)).toSorted((one, other) => one.at - other.at);
}
