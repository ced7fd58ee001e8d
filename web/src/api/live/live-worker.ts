import { LiveStream } from './live-stream.ts';
import type { LiveMessage, TabMessage } from './messages.ts';

// One stream for all tabs: a browser opens at most six connections to a server.

const ports = new Set<MessagePort>();
const stream = new LiveStream(tellAll);

function tellAll(message: LiveMessage): void {
  for (const port of ports) port.postMessage(message);
}

addEventListener('connect', (event) => {
  const [port] = (event as MessageEvent).ports;
  if (port === undefined) return;
  port.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    if (data === 'leave') ports.delete(port);
    else {
      ports.add(port);
      stream.start();
      port.postMessage({ kind: 'state', state: stream.state } satisfies LiveMessage);
    }
  });
  port.start();
});
