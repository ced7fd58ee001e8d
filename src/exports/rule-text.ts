/**
 * The text of reports in rules and tables of other programs: what these read as a part of their
 * syntax becomes an underscore.
 */

const MAX_MESSAGE_LENGTH = 120;

/** On one line, without quotes, semicolons, backslashes and separators of tables. */
export function messageText(text: string): string {
  return text.replace(/[^A-Za-z0-9 ._:/()-]/gu, '_').slice(0, MAX_MESSAGE_LENGTH);
}

export function metadataToken(text: string): string {
  return text.replace(/[^A-Za-z0-9_.-]/gu, '_');
}

const PLAIN_URL = /^https?:\/\/([A-Za-z0-9._~:/-]{1,500})$/;

/** The address of a report, unless that of the server has characters with a meaning in rules. */
export function reportUrl(
  { baseUrl }: { readonly baseUrl: string },
  { service, id }: { readonly service: string; readonly id: string },
): string | undefined {
  const url = `${baseUrl}/feeds/${service}/reports/${id}`;
  return PLAIN_URL.test(url) ? url : undefined;
}

/** Without its scheme, which the readers add. A URL with other characters is left out. */
export function referenceOptions(url: string): readonly string[] {
  const match = PLAIN_URL.exec(url);
  return match === null ? [] : [`reference:url,${match[1]};`];
}

/** `2026_01_31`, as rules write a day. */
export function ruleDay(time: string): string {
  return time.slice(0, 10).replaceAll('-', '_');
}
