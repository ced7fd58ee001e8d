/** The width of text that goes to a file or a pipe. */
const DEFAULT_WIDTH = 80;
const [NARROWEST, WIDEST] = [40, 100];

/** The columns that help may use. */
export function widthOf(
  stream: NodeJS.WritableStream & { readonly columns?: number | undefined },
): number {
  return Math.min(WIDEST, Math.max(NARROWEST, stream.columns ?? DEFAULT_WIDTH));
}

/** Fills lines with words. A word that is too long gets its own line. */
export function fill(words: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of words) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (longer.length <= width) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    line = word;
  }
  return line === '' ? lines : [...lines, line];
}

export function wrap(text: string, width: number): readonly string[] {
  return fill(text.split(' '), width);
}

/** A label longer than this has its description on the next line. */
const LABEL_LIMIT = 26;

/** The column in which the descriptions of several tables start. */
export function labelWidth(labels: readonly string[]): number {
  return Math.max(...labels.map(({ length }) => length).filter((length) => length <= LABEL_LIMIT));
}

/** Two indented columns, whose second is wrapped. A label that is too long has its own lines. */
export function twoColumns(
  rows: readonly (readonly [label: string, description: string])[],
  { width, label: limit }: { readonly width: number; readonly label: number },
): readonly string[] {
  const column = Math.max(0, limit) + 4;
  return rows.flatMap(([label, description]) => {
    const lines = wrap(description, width - column);
    const isShort = label.length <= limit;
    const [first = '', ...others] = isShort ? lines : ['', ...lines];
    const labels = isShort ? [label] : wrapAlternatives(label, width - 2);
    const opening = labels.map((line) => `  ${line}`);
    const last = `${opening.at(-1)?.padEnd(column)}${first}`.trimEnd();
    return [...opening.slice(0, -1), last, ...others.map((line) => `${' '.repeat(column)}${line}`)];
  });
}

/** `--reason first|second` in several lines, each of which ends with a bar. */
function wrapAlternatives(label: string, width: number): readonly string[] {
  const [option = '', values = ''] = label.split(' ');
  const indent = ' '.repeat(option.length + 1);
  const lines = [option];
  for (const value of values.split(/(?<=\|)/)) {
    const last = lines.length - 1;
    const longer = `${lines[last]}${lines[last] === option ? ' ' : ''}${value}`;
    if (longer.length <= width) lines[last] = longer;
    else lines.push(`${indent}${value}`);
  }
  return lines;
}

/** The parts of a usage line that stay together: `[--tag <tag>]…`, `--c2 <host:port>`. */
export function usageParts(usage: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  for (const word of usage.split(' ')) {
    const last = parts.at(-1) ?? '';
    const isValue = /^--[^ |\]]+$/.test(last) && !/^[[-]/.test(word);
    if (depth > 0 || isValue) parts[parts.length - 1] = `${last} ${word}`;
    else parts.push(word);
    depth += (word.match(/[[<]/g)?.length ?? 0) - (word.match(/[\]>]/g)?.length ?? 0);
  }
  return parts;
}

/** A word of a shell command. Quoted text stays together. */
const WORD = /(?:'[^']*'|"[^"]*"|[^\s'"])+/g;

/** The words of a shell command, an option together with its value. */
function wordsOf(command: string): readonly string[] {
  const parts: string[] = [];
  for (const word of command.match(WORD) ?? []) {
    const last = parts.at(-1) ?? '';
    const isValue = /^--[\w-]+$/.test(last) && !word.startsWith('-');
    if (isValue) parts[parts.length - 1] = `${last} ${word}`;
    else parts.push(word);
  }
  return parts;
}

/** Continues a command that is too wide on the next line, as a shell does. */
export function continued(command: string, width: number): readonly string[] {
  if (command.length <= width) return [command];
  const lines = fill(wordsOf(command), width - 4);
  return lines.map((line, index) =>
    [index === 0 ? '' : '  ', line, index === lines.length - 1 ? '' : ' \\'].join(''),
  );
}
