/** Wire names that the rule below would split in the wrong position. */
const IRREGULAR: Readonly<Record<string, string>> = { mD5Hash: 'md5_hash', ssDeep: 'ssdeep' };

/** What Python does not accept as an attribute. */
const RESERVED =
  /^(?:and|as|assert|async|await|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|lambda|nonlocal|not|or|pass|raise|return|try|while|with|yield)$/;

/** `firstSeenID` → `first_seen_id`. */
export function toAttribute(wireName: string): string {
  const name =
    IRREGULAR[wireName] ?? wireName.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase();
  if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new Error(`${wireName} has no name in Python`);
  return RESERVED.test(name) ? `${name}_` : name;
}

/** `timeToAct` → `TimeToAct`. */
export function toClass(wireName: string): string {
  return `${wireName.slice(0, 1).toUpperCase()}${wireName.slice(1)}`;
}

/** `families` → `family`: the name of an item of that list. */
export function toSingular(wireName: string): string {
  if (wireName.endsWith('ies')) return `${wireName.slice(0, -3)}y`;
  return wireName.endsWith('s') && !wireName.endsWith('ss') ? wireName.slice(0, -1) : wireName;
}
