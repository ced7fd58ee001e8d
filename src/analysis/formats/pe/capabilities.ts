import type { TagMeaning } from '../format.ts';
import type { PeFile } from './file.ts';

/**
 * Capabilities of a program, derived from combinations of imports. A single function proves nothing
 * (debuggers write to other processes, every C runtime checks for a debugger), so an entry requires
 * one function of each of its groups. `A` and `W` variants count as the same function, as do the
 * `Zw` and `Nt` names of system calls.
 */
interface Capability {
  readonly tag: CapabilityTag;
  readonly all: readonly (readonly string[])[];
  /**
   * Functions that make the combination ordinary: a program that paints its own windows also reads
   * keys.
   */
  readonly unless?: readonly string[];
}

export const CAPABILITY_TAGS = {
  PROCESS_INJECTION: [7, 'Imports the functions to run code in another process'],
  PROCESS_HOLLOWING: [7, 'Imports the functions to replace the code of a new process'],
  REMOTE_PROCESS_FUNCTIONS: [
    4,
    'Makes the functions that run code in another process available to other programs',
  ],
  KEYLOGGING: [5, 'Imports the functions to record the keyboard input of other programs'],
  SCREEN_CAPTURE: [4, 'Copies the screen without painting a window of its own'],
  CREDENTIAL_ACCESS: [5, 'Imports functions that read stored credentials'],
  PROCESS_DUMP: [5, 'Imports the functions to dump the memory of a privileged process'],
  ANTI_DEBUG: [4, 'Imports functions that detect or detach a debugger'],
  TOKEN_MANIPULATION: [4, 'Imports the functions to start programs as another user'],
  SERVICE_INSTALL: [4, 'Imports the functions to install and start a service'],
  DRIVER_LOAD: [6, 'Imports the system call that loads a driver'],
  DOWNLOADS_FILE: [4, 'Imports the function that downloads to a file'],
  FILE_ENCRYPTION: [4, 'Imports the functions to enumerate drives and encrypt'],
  CRASHES_SYSTEM: [6, 'Imports system calls that crash the system'],
  BLOCKS_INPUT: [5, 'Imports the function that blocks mouse and keyboard'],
} as const satisfies Record<string, TagMeaning>;

export type CapabilityTag = keyof typeof CAPABILITY_TAGS;

const ALLOCATE = ['VirtualAllocEx', 'VirtualAllocExNuma', 'NtAllocateVirtualMemory'];
const WRITE = ['WriteProcessMemory', 'NtWriteVirtualMemory'];
const MAP = ['NtMapViewOfSection', 'MapViewOfFile2', 'MapViewOfFileNuma2', 'MapViewOfFile3'];
const START = [
  'CreateRemoteThread',
  'CreateRemoteThreadEx',
  'NtCreateThreadEx',
  'RtlCreateUserThread',
  'QueueUserAPC',
  'NtQueueApcThread',
];
const OPEN = ['OpenProcess', 'NtOpenProcess', 'CreateProcess', 'CreateProcessInternal'];
const CREATE = [
  'CreateProcess',
  'CreateProcessAsUser',
  'CreateProcessInternal',
  'NtCreateUserProcess',
];
const REDIRECT = ['SetThreadContext', 'Wow64SetThreadContext', 'NtSetContextThread'];
const RESUME = ['ResumeThread', 'NtResumeThread', 'NtAlertResumeThread'];
const FIND = ['FindNextFile'];

const CAPABILITIES: readonly Capability[] = [
  { tag: 'PROCESS_INJECTION', all: [OPEN, ALLOCATE, WRITE, START] },
  { tag: 'PROCESS_INJECTION', all: [OPEN, MAP, START] },
  { tag: 'PROCESS_HOLLOWING', all: [CREATE, ALLOCATE, WRITE, REDIRECT, RESUME] },
  { tag: 'PROCESS_HOLLOWING', all: [CREATE, ['NtUnmapViewOfSection'], [...WRITE, ...MAP], RESUME] },
  {
    tag: 'KEYLOGGING',
    all: [
      ['SetWindowsHookEx', 'GetKeyboardState', 'RegisterRawInputDevices', 'MapVirtualKey'],
      ['GetAsyncKeyState', 'GetRawInputData'],
      ['GetForegroundWindow'],
      ['GetKeyNameText', 'ToUnicode', 'ToUnicodeEx', 'ToAscii', 'ToAsciiEx', 'GetWindowText'],
    ],
    unless: ['BeginPaint'],
  },
  {
    tag: 'SCREEN_CAPTURE',
    all: [
      ['BitBlt', 'StretchBlt'],
      ['CreateCompatibleBitmap', 'CreateDIBSection'],
      ['GetDC', 'GetWindowDC', 'CreateDC', 'GetDesktopWindow'],
    ],
    unless: ['BeginPaint'],
  },
  {
    tag: 'CREDENTIAL_ACCESS',
    all: [
      [
        'CredEnumerate',
        'VaultEnumerateItems',
        'VaultEnumerateVaults',
        'LsaRetrievePrivateData',
        'SamEnumerateUsersInDomain',
      ],
    ],
  },
  {
    tag: 'PROCESS_DUMP',
    all: [
      ['MiniDumpWriteDump'],
      ['OpenProcess', 'NtOpenProcess'],
      ['AdjustTokenPrivileges', 'RtlAdjustPrivilege'],
      ['Process32First', 'EnumProcesses', 'NtQuerySystemInformation'],
    ],
  },
  { tag: 'ANTI_DEBUG', all: [['CheckRemoteDebuggerPresent', 'NtSetInformationThread']] },
  { tag: 'ANTI_DEBUG', all: [['IsDebuggerPresent'], ['NtQueryInformationProcess']] },
  {
    tag: 'TOKEN_MANIPULATION',
    all: [
      ['OpenProcessToken', 'NtOpenProcessToken'],
      ['DuplicateToken', 'DuplicateTokenEx'],
      [
        'CreateProcessWithToken',
        'CreateProcessAsUser',
        'ImpersonateLoggedOnUser',
        'SetThreadToken',
      ],
    ],
  },
  { tag: 'SERVICE_INSTALL', all: [['OpenSCManager'], ['CreateService'], ['StartService']] },
  { tag: 'DRIVER_LOAD', all: [['NtLoadDriver']] },
  { tag: 'DOWNLOADS_FILE', all: [['URLDownloadToFile', 'URLDownloadToCacheFile']] },
  {
    tag: 'FILE_ENCRYPTION',
    all: [
      ['CryptEncrypt', 'BCryptEncrypt'],
      FIND,
      ['GetLogicalDrives', 'GetLogicalDriveStrings', 'WNetEnumResource'],
    ],
  },
  { tag: 'CRASHES_SYSTEM', all: [['NtRaiseHardError', 'RtlSetProcessIsCritical']] },
  { tag: 'BLOCKS_INPUT', all: [['BlockInput']] },
];

type Imports = Pick<PeFile, 'imports' | 'delayImports' | 'exports'>;

export interface SeenCapability {
  readonly tag: CapabilityTag;
  readonly functions: readonly string[];
  readonly offset?: number | undefined;
}

export function capabilitiesOf(pe: Imports): readonly SeenCapability[] {
  const imported = importedFunctions(pe);
  const isWrapper = isInterface(pe, imported);
  return CAPABILITIES.flatMap((capability) => {
    const { all, unless = [] } = capability;
    const isOffered = isWrapper && OFFERED.has(capability.tag);
    const tag = isOffered ? 'REMOTE_PROCESS_FUNCTIONS' : capability.tag;
    if (unless.some((name) => imported.has(name))) return [];
    const found = all.map((group) => group.find((name) => imported.has(name)));
    if (!found.every((name) => name !== undefined)) return [];
    const last = found.at(-1);
    return [{ tag, functions: found, offset: last === undefined ? undefined : imported.get(last) }];
  });
}

/** What a wrapper of the Windows API offers to its callers, and does not do itself. */
const OFFERED: ReadonlySet<CapabilityTag> = new Set(['PROCESS_INJECTION', 'PROCESS_HOLLOWING']);
const WRAPPED = new Set([...ALLOCATE, ...WRITE, ...MAP, ...START, ...REDIRECT, ...RESUME]);
/** Entry points of extension modules for Python, Java, Node.js and Lua. */
const MODULE_ENTRY = /^(?:PyInit_|Java_|napi_register_module_|luaopen_)/;
/** Programs that do something with processes call a few dozen system calls at most. */
const MANY_SYSTEM_CALLS = 64;

/**
 * Whether a library implements the functions under their own names, passes most system calls on, or
 * is the module through which scripts call them.
 */
function isInterface({ exports }: Imports, imported: ReadonlyMap<string, unknown>): boolean {
  const offers = (name: string) => WRAPPED.has(plainName(name)) || MODULE_ENTRY.test(name);
  if (exports?.names.some(offers) === true) return true;
  const systemCalls = [...imported.keys()].filter((name) => /^Nt[A-Z]/.test(name));
  return systemCalls.length >= MANY_SYSTEM_CALLS;
}

function plainName(name: string): string {
  return name.replace(/^Zw(?=[A-Z])/, 'Nt');
}

/** Offsets of the imported functions, by base name. */
function importedFunctions(pe: Imports): Map<string, number | undefined> {
  const found = new Map<string, number | undefined>();
  for (const { functions } of [...pe.imports, ...pe.delayImports]) {
    for (const { name, offset } of functions) {
      const plain = plainName(name);
      for (const known of [plain, plain.replace(/(?<=[a-z0-9])[AW]$/, '')]) {
        if (!found.has(known)) found.set(known, offset);
      }
    }
  }
  return found;
}
