import type { ExportContext } from '../../exports/exporter.ts';
import type { ExportRequest } from '../../ports/exports.ts';
import type { AllDeclaredHosts, FeedState } from '../../ports/feed-store.ts';

/** What the settings and the installation add to every export. */
export interface ExportSettings
  extends Pick<ExportContext, 'baseUrl' | 'namespace' | 'firstRuleNumber' | 'contact'> {
  readonly declared: AllDeclaredHosts;
  /** The hosts of RAPSHEET_ALLOW_LIST. */
  readonly allowed: readonly string[];
  /** Identifies the other lists. */
  readonly listsDigest: string;
}

export interface ThreadData {
  readonly database:
    | { readonly kind: 'sqlite'; readonly file: string }
    | { readonly kind: 'postgres'; readonly url: string };
  /** For the files of archives. */
  readonly folder: string;
  readonly compileCache: string | undefined;
}

export interface Build {
  readonly request: ExportRequest;
  readonly settings: ExportSettings;
  /** Threads of a process share its descriptors. */
  readonly fd: number;
}

export type ToThread =
  | { readonly kind: 'build'; readonly id: number; readonly build: Build }
  | { readonly kind: 'cancel'; readonly id: number };

export type BuildEvent =
  /** The snapshot is open. */
  | { readonly kind: 'opened'; readonly feeds: readonly FeedState[] }
  /** The bytes in the file so far. */
  | { readonly kind: 'written'; readonly bytes: number }
  /** The bytes in the other files of the build. */
  | { readonly kind: 'temporary'; readonly bytes: number }
  | { readonly kind: 'done' }
  /** The thread no longer uses the file. */
  | { readonly kind: 'failed'; readonly message: string; readonly code: string | undefined };

export type FromThread = BuildEvent & { readonly id: number };
