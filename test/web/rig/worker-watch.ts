import { setTimeout } from 'node:timers/promises';
import type { Browser } from 'playwright-core';

/** Long enough for its first calls, short enough to be over when a test leaves the page. */
const WATCHED_MS = 300;

interface Message {
  readonly method?: string;
  readonly params?: {
    readonly type?: string;
    readonly args?: readonly { readonly value?: unknown; readonly description?: string }[];
    readonly entry?: { readonly level: string; readonly source: string; readonly text: string };
    readonly exceptionDetails?: { readonly exception?: { readonly description?: string } };
  };
}

/**
 * Collects early errors of shared workers: uncaught ones, those on the console, and violations of
 * the content policy. Playwright reports only the workers of one page, so the protocol of the
 * browser is used.
 */
export async function watchSharedWorkers(
  browser: Browser,
  onProblem: (problem: string) => void,
): Promise<void> {
  const session = await browser.newBrowserCDPSession();
  session.on('Target.targetCreated', async ({ targetInfo: { type, targetId } }) => {
    if (type !== 'shared_worker') return;
    try {
      const { sessionId } = await session.send('Target.attachToTarget', { targetId });
      // What happened before is repeated.
      for (const [id, method] of ['Runtime.enable', 'Log.enable'].entries())
        await session.send('Target.sendMessageToTarget', {
          sessionId,
          message: JSON.stringify({ id, method }),
        });
      // A worker that is watched when its page is left blocks the one of the next page.
      await setTimeout(WATCHED_MS);
      await session.send('Target.detachFromTarget', { sessionId });
    } catch {
      // The worker has ended.
    }
  });
  session.on('Target.receivedMessageFromTarget', ({ message }) => {
    const problem = problemOf(JSON.parse(message));
    if (problem !== undefined) onProblem(`shared worker: ${problem}`);
  });
  await session.send('Target.setDiscoverTargets', { discover: true });
}

function problemOf({ method, params = {} }: Message): string | undefined {
  const { type = '', args = [], entry, exceptionDetails } = params;
  if (method === 'Runtime.exceptionThrown')
    return exceptionDetails?.exception?.description ?? 'an uncaught error';
  if (method === 'Runtime.consoleAPICalled' && ['error', 'warning', 'assert'].includes(type))
    return args.map(({ value, description }) => String(value ?? description)).join(' ');
  // Refused and lost connections are part of its work.
  if (method === 'Log.entryAdded' && entry?.level === 'error' && entry.source !== 'network')
    return entry.text;
  return undefined;
}
