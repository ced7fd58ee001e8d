/** Text that may stand in a page as it is. Everything else is escaped. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Markup | string | number | undefined | readonly Part[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** A template whose values are escaped, unless they are markup. `undefined` is left out. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const text = strings.map((string, index) => `${string}${toText(parts[index])}`);
  return new Markup(text.join(''));
}

function toText(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Markup) return part.text;
  if (typeof part === 'object') return part.map(toText).join('');
  return String(part).replace(/[&<>"]/g, (character) => ESCAPES[character] ?? character);
}

/** The Markdown of descriptions: paragraphs, and code between backticks. */
export function markdown(text: string | undefined): Markup | undefined {
  if (text === undefined || text === '') return undefined;
  const paragraphs = text.split(/\n{2,}/).map((one) => html`<p>${inline(one)}</p>`);
  return html`${paragraphs}`;
}

export function inline(text: string): Markup {
  const parts = text
    .replaceAll('\\<', '<')
    .split(/`([^`]+)`/)
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
  return html`${parts}`;
}
