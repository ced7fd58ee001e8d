import type { PeFile } from './file.ts';

/** Names of header constants, from Microsoft's "PE Format". */
const MACHINES: Readonly<Record<number, string>> = {
  332: 'i386',
  358: 'mips',
  448: 'arm',
  452: 'armnt',
  512: 'ia64',
  3772: 'efi-bytecode',
  20530: 'riscv32',
  20580: 'riscv64',
  25188: 'loongarch64',
  34404: 'amd64',
  43620: 'arm64',
};

const SUBSYSTEMS: Readonly<Record<number, string>> = {
  1: 'native',
  2: 'windows-gui',
  3: 'windows-console',
  5: 'os2-console',
  7: 'posix-console',
  9: 'windows-ce',
  10: 'efi-application',
  11: 'efi-boot-driver',
  12: 'efi-runtime-driver',
  13: 'efi-rom',
  14: 'xbox',
  16: 'boot-application',
};

const CHARACTERISTICS: readonly (readonly [bit: number, name: string])[] = [
  [0x0001, 'relocations-stripped'],
  [0x0002, 'executable'],
  [0x0020, 'large-address-aware'],
  [0x0100, '32-bit'],
  [0x0200, 'debug-stripped'],
  [0x1000, 'system'],
  [0x2000, 'dll'],
];

const DLL_CHARACTERISTICS: readonly (readonly [bit: number, name: string])[] = [
  [0x0020, 'high-entropy-aslr'],
  [0x0040, 'aslr'],
  [0x0080, 'force-integrity'],
  [0x0100, 'dep'],
  [0x0200, 'no-isolation'],
  [0x0400, 'no-seh'],
  [0x0800, 'no-bind'],
  [0x1000, 'app-container'],
  [0x2000, 'wdm-driver'],
  [0x4000, 'control-flow-guard'],
  [0x8000, 'terminal-server-aware'],
];

export function machineName({ machine }: PeFile): string {
  return MACHINES[machine] ?? hex(machine);
}

export function subsystemName({ subsystem }: PeFile): string {
  return SUBSYSTEMS[subsystem] ?? String(subsystem);
}

export function characteristicNames(pe: PeFile): string[] {
  return [
    ...namesOf(CHARACTERISTICS, pe.characteristics),
    ...namesOf(DLL_CHARACTERISTICS, pe.dllCharacteristics),
  ];
}

export function hex(value: number): string {
  return `0x${value.toString(16)}`;
}

function namesOf(bits: typeof CHARACTERISTICS, value: number): string[] {
  return bits.filter(([bit]) => (value & bit) !== 0).map(([, name]) => name);
}
