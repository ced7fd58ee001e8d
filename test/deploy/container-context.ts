/** The sources of the `COPY` lines, without those from another build stage. */
export function copiedSources(containerfile: string): readonly string[] {
  return [...containerfile.matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, sources = '']) =>
    sources.split(' '),
  );
}

/**
 * Whether `.dockerignore` lets a builder read a file: the last matching pattern decides, a pattern
 * also matches everything below it, and `!` includes again.
 */
export function isSent(rules: string, path: string): boolean {
  const last = rules
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .findLast((pattern) => matcherOf(pattern).test(path));
  return last === undefined || last.startsWith('!');
}

/** Unlike in a shell, `*` also matches names that begin with a dot. */
function matcherOf(pattern: string): RegExp {
  const expression = pattern
    .replace(/^!/, '')
    .split('**/')
    .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]*'))
    .join('(?:.*/)?');
  return new RegExp(`^${expression}(?:/|$)`);
}
