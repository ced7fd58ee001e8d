import { matchesGlob } from 'node:path';

/** Hot tags of ordinary files that are right, or that no rule can separate. */
export interface Exception {
  /** A glob of `<registry>/<package>/<path>`. */
  readonly files: string;
  readonly tags: readonly string[];
  readonly reason: string;
}

export const EXCEPTIONS: readonly Exception[] = [];

export function exceptionFor(name: string, tag: string): Exception | undefined {
  return EXCEPTIONS.find(({ files, tags }) => tags.includes(tag) && matchesGlob(name, files));
}
