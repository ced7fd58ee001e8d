/** Where a command ends in a line of a shell. */
const END = /^(?:\||>{1,2}|<|&&|;)$/;

/** The words of an example after `rapsheet`, without redirections and other commands. */
export function wordsOf(example: string): readonly string[] {
  const all: readonly string[] = example.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  const words = all.slice(all.indexOf('rapsheet'));
  const end = words.findIndex((word) => END.test(word));
  return words
    .slice(1, end === -1 ? undefined : end)
    .map((word) => word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'));
}
