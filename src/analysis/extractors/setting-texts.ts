import { printableText } from '../printable-text.ts';

const MAX_VALUE_LENGTH = 512;

/** The values that are present and not empty, escaped and shortened for display. */
export function otherSettings(
  values: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, printableText(value, MAX_VALUE_LENGTH)]],
    ),
  );
}

/** A list of one value, escaped and shortened for display; `undefined` if the value is empty. */
export function listOf(text: string | undefined): readonly string[] | undefined {
  return text === undefined || text === '' ? undefined : [printableText(text, MAX_VALUE_LENGTH)];
}

/** A marker that the builder replaces with a value: `%Hosts%`, `[H]`, `#IP#`, `$%SMTPEmail$`. */
export function isPlaceholder(text: string): boolean {
  return /^(?:\[\w{1,40}\]|%\w{1,40}%|#\w{1,40}#|\{\w{1,40}\}|\$%?\w{1,40}%?\$)$/.test(text);
}
