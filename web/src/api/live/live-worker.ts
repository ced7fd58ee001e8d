import { client } from '../client.ts';
import { LiveHub } from './live-hub.ts';
import type { LiveMessage, TabMessage } from './messages.ts';

// A shared worker outlives each tab, and unlike `navigator.locks` exists over plain HTTP too.

const BEAT_MS = 10_000;
const hub = new LiveHub(client);

addEventListener('connect', (event) => {
  const [port] = (event as MessageEvent).ports;
  if (port === undefined) return;
  const tab = { post: (message: LiveMessage) => port.postMessage(message) };
  port.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    if (data.kind === 'join') hub.join(tab, data.start);
    else if (data.kind === 'leave') hub.leave(tab);
    else if (data.kind === 'end') hub.end();
    else hub.retry();
  });
  port.start();
});
addEventListener('online', () => hub.retry());
setInterval(() => hub.beat(), BEAT_MS);
