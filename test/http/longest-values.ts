/**
 * The longest values that fit into a number of bytes, as texts of JSON: lists, nested lists,
 * members and a text. Work that is done before a list is counted shows in one of them.
 */
export function longestValues(bytes: number, maxItems = Number.POSITIVE_INFINITY): Values {
  const key = `${bytes} ${maxItems}`;
  const values = made.get(key) ?? makeValues(bytes, maxItems);
  made.set(key, values);
  return values;
}

type Values = Readonly<Record<string, string>>;

/** Many routes have the same limits. */
const made = new Map<string, Values>();

function makeValues(bytes: number, maxItems: number): Values {
  const list = (item: (index: number) => string) => `[${filled(bytes - 2, maxItems, item)}]`;
  return {
    'a list of numbers': list(() => '0'),
    'a list of empty texts': list(() => '""'),
    'a list of texts': list((index) => `"t${index}"`),
    'a list of objects': list(() => '{}'),
    'a list of lists': list(() => '[]'),
    'a list of objects with other members': list((index) => `{"m${index}":0}`),
    'an object with many members': list((index) => `"m${index}":0`).replace(/^.(.*).$/, '{$1}'),
    'nested lists': nested('[', ']', bytes),
    'nested objects': nested('{"a":', '}', bytes - 1, '0'),
    'a list that is nested less deeply': list(() => nested('[', ']', 60)),
    'a long text': `"${'a'.repeat(bytes - 2)}"`,
    'a long text of other characters': `"${'é'.repeat((bytes - 2) / 2)}"`,
    'many words': `"${repeated('a ', bytes - 2)}"`,
    'an object without a text': '{"toString":1,"valueOf":1}',
    'the name of an inherited member': '"constructor"',
    'the name of an inherited function': '"toString"',
  };
}

/** The text as often as it fits. */
export function repeated(text: string, bytes: number): string {
  return text.repeat(bytes / text.length);
}

/** As many items, separated by commas, as fit. */
function filled(bytes: number, maxItems: number, item: (index: number) => string): string {
  const items: string[] = [];
  let length = 0;
  for (let index = 0; ; index += 1) {
    const text = item(index);
    length += Buffer.byteLength(text) + 1;
    if (length > bytes + 1 || items.length === maxItems) return items.join(',');
    items.push(text);
  }
}

function nested(start: string, end: string, bytes: number, inside = ''): string {
  const depth = Math.floor(bytes / (start.length + end.length));
  return `${start.repeat(depth)}${inside}${end.repeat(depth)}`;
}
