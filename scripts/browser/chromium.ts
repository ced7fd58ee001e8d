import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Starts the browser of the machine; the npm package has none. */
export async function launchChromium(args: readonly string[] = []): Promise<Browser> {
  const executablePath = PATHS.find((path) => existsSync(path));
  if (executablePath === undefined)
    throw new Error('a browser is not installed: apt install chromium');
  return await chromium.launch({
    executablePath,
    timeout: 120_000,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-sync',
      ...args,
    ],
  });
}
