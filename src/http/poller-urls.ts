/** With the path of ThreatFox below it, so that clients need only another base URL. */
export const THREATFOX_URL = '/threatfox/api/v1/';

const TAXII = /^\/+taxii2(?:[/?]|$)/;
const FOR_POLLERS = /^\/+(?:taxii2|misp)(?:[/?]|$)/;

/** Whether errors of this URL have the form of TAXII. */
export function isTaxiiUrl(url: string): boolean {
  return TAXII.test(url);
}

/** Whether a URL is one of feed readers that send a user name and a password. */
export function isPollerUrl(url: string): boolean {
  return FOR_POLLERS.test(url);
}
