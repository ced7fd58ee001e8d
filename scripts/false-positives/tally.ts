import { writeFileSync } from 'node:fs';
import { EXCEPTIONS, type Exception, exceptionFor } from './exceptions.ts';
import { pageOf } from './page.ts';
import type { FileFindings } from './pool.ts';

const PAGE = new URL('../../docs/extending/false-positives.md', import.meta.url);

export interface SourceCounts {
  files: number;
  families: number;
  configs: number;
  explained: number;
  unexplained: number;
  cut: number;
}

/** What was found in ordinary files, by source. */
export class Tally {
  readonly #sources = new Map<string, SourceCounts>();
  readonly #wrong: string[] = [];
  readonly #explained = new Map<Exception, Set<string>>();
  readonly #started = performance.now();

  add({ name, source }: { name: string; source: string }, findings: FileFindings): void {
    const counts = this.#countsOf(source);
    const families = new Set([...findings.families, ...findings.configs]);
    counts.files += 1;
    counts.families += findings.families.length > 0 ? 1 : 0;
    counts.configs += findings.configs.length > 0 ? 1 : 0;
    counts.cut += findings.isCut ? 1 : 0;
    if (families.size > 0) this.#report(`${name}: ${[...families].join(', ')}`);
    const tags = new Set(findings.hot.map(({ tag }) => tag));
    for (const tag of tags) {
      const exception = exceptionFor(name, tag);
      counts[exception === undefined ? 'unexplained' : 'explained'] += 1;
      if (exception !== undefined) {
        const files = this.#explained.get(exception) ?? new Set();
        this.#explained.set(exception, files.add(name));
        continue;
      }
      const [found] = findings.hot.filter((one) => one.tag === tag);
      const inside = found?.member === undefined ? '' : ` in ${found.member}`;
      this.#report(`${name}: ${tag} by ${found?.source}${inside}`);
    }
  }

  get isClean(): boolean {
    return this.#wrong.length === 0;
  }

  progress(): string {
    const files = [...this.#sources.values()].reduce((sum, each) => sum + each.files, 0);
    const seconds = Math.round((performance.now() - this.#started) / 1000);
    return `${files} files analysed in ${seconds} s, ${this.#wrong.length} findings`;
  }

  text(): string {
    const lines = [...this.#sources].map(
      ([source, { files, families, configs, explained, unexplained, cut }]) =>
        `${source}: ${files} files, ${families} with a family, ${configs} with settings, ` +
        `${explained} tags of heat 7 and 8 explained, ${unexplained} not, ${cut} files cut`,
    );
    for (const [{ tags, reason }, files] of this.#explained)
      lines.push(`explained: ${tags.join(', ')} in ${[...files].join(', ')}: ${reason}`);
    const unused = EXCEPTIONS.filter((one) => !this.#explained.has(one));
    for (const { files } of unused) lines.push(`exception without a file: ${files}`);
    return [...lines, this.progress()].join('\n');
  }

  write(): void {
    writeFileSync(PAGE, pageOf(this.#sources, this.#explained));
  }

  #report(text: string): void {
    this.#wrong.push(text);
    console.log(text);
  }

  #countsOf(source: string): SourceCounts {
    const counts = this.#sources.get(source) ?? {
      files: 0,
      families: 0,
      configs: 0,
      explained: 0,
      unexplained: 0,
      cut: 0,
    };
    this.#sources.set(source, counts);
    return counts;
  }
}
