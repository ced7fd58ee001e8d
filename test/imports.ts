import { posix } from 'node:path';

export interface SourceFile {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
}

export interface Import {
  readonly from: string;
  readonly typeOnly: boolean;
}

const STATEMENT =
  /(?:^|;)[ \t]*(?:import|export)\b(?<what>[^'"`;=()]*?)\bfrom\s*(?<quote>['"])(?<from>[^'"\n]+)\k<quote>/gm;
const BARE = /(?:^|;)[ \t]*import\s*['"](?<from>[^'"\n]+)['"]/gm;
const DYNAMIC = /\bimport\s*\(\s*(?:['"`](?<from>[^'"`$\n]+)['"`]\s*[,)])?/g;

/**
 * Every import of a file, in whatever form. Statements are where the formatter puts them: at the
 * start of a line, or behind another.
 */
export function readImports(source: string): Import[] {
  const text = withoutComments(source);
  const statements = [...text.matchAll(STATEMENT)].map(({ groups }) => ({
    from: groups?.['from'] ?? '',
    typeOnly: isTypeOnly(groups?.['what'] ?? ''),
  }));
  const others = [...text.matchAll(BARE), ...text.matchAll(DYNAMIC)].map(({ groups }) => ({
    // What is computed cannot be checked, and so is not allowed.
    from: groups?.['from'] ?? '(computed)',
    typeOnly: false,
  }));
  return [...statements, ...others];
}

/** `type { A }`, or `{ type A, type B }`. */
function isTypeOnly(what: string): boolean {
  if (/^\s*type\b(?!\s*(?:,|from\b|$))/.test(what)) return true;
  const names = /^\s*\{(?<list>[^}]*)\}\s*$/.exec(what)?.groups?.['list']?.split(',') ?? [''];
  const given = names.map((name) => name.trim()).filter((name) => name !== '');
  return given.length > 0 && given.every((name) => /^type\s/.test(name));
}

/** Whole lines of comment only: what stands behind code does no harm. */
export function withoutComments(source: string): string {
  return source.replace(/^[ \t]*\/\*[\s\S]*?\*\//gm, '').replace(/^[ \t]*\/\/.*$/gm, '');
}

export function targetOf({ path }: SourceFile, { from }: Import): string {
  return posix.join(posix.dirname(path), from);
}

/** The first ring of imports, types included, as the files along it. */
export function firstRing(files: readonly SourceFile[]): readonly string[] | undefined {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): readonly string[] | undefined => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    const file = byPath.get(path);
    if (file === undefined || done.has(path)) return undefined;
    for (const imported of readImports(file.text)) {
      const ring = visit(targetOf(file, imported), [...trail, path]);
      if (ring !== undefined) return ring;
    }
    done.add(path);
    return undefined;
  };
  for (const { path } of files) {
    const ring = visit(path, []);
    if (ring !== undefined) return ring;
  }
  return undefined;
}
