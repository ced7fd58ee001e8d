type Value = string | number;

/** Escapes text for element content and for attribute values. */
export function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function formatAttribute(name: string, value: Value): string {
  if (typeof value === 'string') return escapeXml(value);
  if (!Number.isFinite(value)) throw new Error(`${name} is ${value}`);
  return String(Math.round(value * 100) / 100);
}

/** An element; `content` is markup, not text. */
export function element(
  name: string,
  attributes: Readonly<Record<string, Value>>,
  content = '',
): string {
  const written = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${formatAttribute(key, value)}"`)
    .join('');
  return content === '' ? `<${name}${written}/>` : `<${name}${written}>${content}</${name}>`;
}

export function text(attributes: Readonly<Record<string, Value>>, content: string): string {
  return element('text', attributes, escapeXml(content));
}

export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly title: string;
  readonly description: string;
  readonly style: string;
  readonly content: readonly string[];
}

/** Colours that both drawings share, for light and dark pages. */
const SHARED_STYLE = `
    text { font: 12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1b2530; }
    .paper { fill: #ffffff; stroke: #d5dbe3; }
    .head { font-size: 17px; font-weight: 600; }
    .small { font-size: 11px; fill: #4b5a6b; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e8eef5; }
      .paper { fill: #10161d; stroke: #2b3642; }
      .small { fill: #a9b7c6; }
    }`;

/** A complete file, with its own background, that needs no script. */
export function drawing({ width, height, title, description, style, content }: Drawing): string {
  const paper = element('rect', {
    class: 'paper',
    x: 0.5,
    y: 0.5,
    width: width - 1,
    height: height - 1,
    rx: 10,
  });
  const lines = [
    element('title', { id: 'title' }, escapeXml(title)),
    element('desc', { id: 'desc' }, escapeXml(description)),
    `<style>${SHARED_STYLE}${style}\n  </style>`,
    paper,
    ...content,
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title desc">
${lines.map((line) => `  ${line}`).join('\n')}
</svg>
`;
}
