/** Words for which users look, and the commands that they mean. */
export const OTHER_WORDS: Readonly<Record<string, readonly string[]>> = {
  block: ['feed export'],
  blocklist: ['feed export'],
  check: ['doctor', 'service check'],
  credits: ['usage show'],
  download: ['sample download'],
  events: ['feed changes', 'feed follow'],
  file: ['sample add', 'lookup'],
  find: ['search'],
  hash: ['lookup'],
  health: ['doctor'],
  hook: ['webhook add'],
  host: ['c2 show', 'service show'],
  invite: ['account link'],
  ioc: ['search', 'feed export'],
  key: ['token issue'],
  limit: ['usage show'],
  log: ['audit list'],
  quota: ['usage show', 'account set'],
  scan: ['analyse', 'sample add'],
  signin: ['login'],
  start: ['serve'],
  takedown: ['report set'],
  units: ['usage show'],
  user: ['account list', 'account add'],
  watch: ['feed follow'],
};

/** The commands that a word means, in the singular or the plural; none if nobody knows. */
export function meantBy(word: string): readonly string[] {
  const lower = word.toLowerCase();
  const known = Object.keys(OTHER_WORDS).find((one) =>
    [one, `${one}s`, `${one}es`].includes(lower),
  );
  return OTHER_WORDS[known ?? ''] ?? [];
}
