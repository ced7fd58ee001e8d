import { posix } from 'node:path';

export interface SourceFile {
  /** Relative to the root of the repository. */
  readonly path: string;
  readonly text: string;
}

export interface Import {
  readonly from: string;
  readonly typeOnly: boolean;
}

const STATEMENT =
  /(?:^|;)[ \t]*(?:import|export)\b(?<clause>[^'"`;=()]*?)\bfrom\s*(?<quote>['"])(?<from>[^'"\n]+)\k<quote>/gm;
const BARE = /(?:^|;)[ \t]*import\s*['"](?<from>[^'"\n]+)['"]/gm;
const DYNAMIC = /\bimport\s*\(\s*(?:['"`](?<from>[^'"`$\n]+)['"`]\s*[,)])?/g;

/**
 * Returns every import of a file: static, bare and dynamic. The formatter puts a statement at the
 * start of a line or after another statement.
 */
export function readImports(source: string): Import[] {
  const text = withoutComments(source);
  const statements = [...text.matchAll(STATEMENT)].map(({ groups }) => ({
    from: groups?.['from'] ?? '',
    typeOnly: isTypeOnly(groups?.['clause'] ?? ''),
  }));
  const others = [...text.matchAll(BARE), ...text.matchAll(DYNAMIC)].map(({ groups }) => ({
    // A computed path cannot be checked, so it is not allowed.
    from: groups?.['from'] ?? '(computed)',
    typeOnly: false,
  }));
  return [...statements, ...others];
}

/** `type { A }`, or `{ type A, type B }`. */
function isTypeOnly(clause: string): boolean {
  if (/^\s*type\b(?!\s*(?:,|from\b|$))/.test(clause)) return true;
  const names = /^\s*\{(?<list>[^}]*)\}\s*$/.exec(clause)?.groups?.['list']?.split(',') ?? [''];
  const present = names.map((name) => name.trim()).filter((name) => name !== '');
  return present.length > 0 && present.every((name) => /^type\s/.test(name));
}

/** Removes comments that fill whole lines. Comments after code cannot look like imports. */
export function withoutComments(source: string): string {
  return source.replace(/^[ \t]*\/\*[\s\S]*?\*\//gm, '').replace(/^[ \t]*\/\/.*$/gm, '');
}

export function targetOf({ path }: SourceFile, { from }: Import): string {
  return posix.join(posix.dirname(path), from);
}

/** Returns the files along the first import cycle, type imports included. */
export function findImportCycle(files: readonly SourceFile[]): readonly string[] | undefined {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): readonly string[] | undefined => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    const file = byPath.get(path);
    if (file === undefined || done.has(path)) return undefined;
    for (const imported of readImports(file.text)) {
      const cycle = visit(targetOf(file, imported), [...trail, path]);
      if (cycle !== undefined) return cycle;
    }
    done.add(path);
    return undefined;
  };
  for (const { path } of files) {
    const cycle = visit(path, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}
