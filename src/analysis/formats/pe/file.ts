import type { DebugInfo, TlsCallbacks } from './directories.ts';
import type { PeExports } from './exports.ts';
import type { PeDirectory, PeHeaders } from './headers.ts';
import type { PeSection } from './image.ts';
import type { ImportedLibrary } from './imports/imports.ts';
import type { Extent } from './layout.ts';
import type { PeResource } from './resources.ts';
import type { RichHeader } from './rich.ts';
import type { PeSignature } from './signature.ts';
import type { VersionInfo } from './version.ts';

/** A parsed Portable Executable. */
export interface PeFile extends PeHeaders {
  readonly sections: readonly PeSection[];
  readonly imports: readonly ImportedLibrary[];
  readonly delayImports: readonly ImportedLibrary[];
  /** Equals pefile's `get_imphash`; absent without imports. */
  readonly imphash?: string | undefined;
  readonly exports?: PeExports | undefined;
  readonly rich?: RichHeader | undefined;
  readonly resources: readonly PeResource[];
  readonly version?: VersionInfo | undefined;
  /** From the manifest: `asInvoker`, `highestAvailable` or `requireAdministrator`. */
  readonly executionLevel?: string | undefined;
  readonly tlsCallbacks: TlsCallbacks;
  readonly debug: DebugInfo;
  readonly overlay?: Extent | undefined;
  /** The correct checksum for the header. */
  readonly computedChecksum: number;
  readonly authentihash: string;
  readonly signature?: PeSignature | 'unreadable' | undefined;
  /** The .NET header; absent in native programs. */
  readonly com?: PeDirectory | undefined;
  /** Defects of the file, for users. */
  readonly malformed: readonly string[];
  /** Tables that were only read in part. */
  readonly truncated: readonly string[];
  /** `undefined` for an address without bytes in the file. */
  rvaToOffset(rva: number): number | undefined;
}
