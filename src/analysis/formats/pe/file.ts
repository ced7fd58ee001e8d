import type { DebugInfo, TlsCallbacks } from './directories.ts';
import type { PeExports } from './exports.ts';
import type { PeDirectory, PeHeaders } from './headers.ts';
import type { PeSection } from './image.ts';
import type { ImportedLibrary } from './imports.ts';
import type { Extent } from './layout.ts';
import type { PeResource } from './resources.ts';
import type { RichHeader } from './rich.ts';
import type { PeSignature } from './signature.ts';
import type { VersionInfo } from './version.ts';

/** A Portable Executable, read as far as it can be. */
export interface PeFile extends PeHeaders {
  readonly sections: readonly PeSection[];
  readonly imports: readonly ImportedLibrary[];
  readonly delayImports: readonly ImportedLibrary[];
  /** Equal to what pefile's `get_imphash` says; absent without imports. */
  readonly imphash?: string | undefined;
  readonly exports?: PeExports | undefined;
  readonly rich?: RichHeader | undefined;
  readonly resources: readonly PeResource[];
  readonly version?: VersionInfo | undefined;
  /** Of the manifest: `asInvoker`, `highestAvailable` or `requireAdministrator`. */
  readonly executionLevel?: string | undefined;
  readonly tlsCallbacks: TlsCallbacks;
  readonly debug: DebugInfo;
  readonly overlay?: Extent | undefined;
  /** What the checksum in the header should be. */
  readonly computedChecksum: number;
  readonly authentihash: string;
  readonly signature?: PeSignature | 'unreadable' | undefined;
  /** The header of .NET; absent for native programs. */
  readonly com?: PeDirectory | undefined;
  /** What is wrong with the file, for people. */
  readonly malformed: readonly string[];
  /** Tables of which only the beginning was read. */
  readonly truncated: readonly string[];
  /** `undefined` for an address with no byte in the file. */
  rvaToOffset(rva: number): number | undefined;
}
