import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import type { FeedEvent } from '../../../../src/client/follow.ts';
import { LiveStream } from './live-stream.ts';
import type { LiveMessage, LiveState, TabMessage } from './messages.ts';

type Listener = (event: FeedEvent) => void;

const listeners = new Set<Listener>();
const watchers = new Set<() => void>();
let state: LiveState = { kind: 'signed-out' };
let start: (() => void) | undefined;

/** Starts the stream, or joins that of another tab. Called once an account is signed in. */
export function startLive(): void {
  start ??= globalThis.SharedWorker === undefined ? startInTab() : startInWorker();
  start();
}

function startInTab(): () => void {
  const stream = new LiveStream(receive);
  return () => stream.start();
}

function startInWorker(): () => void {
  const { port } = new SharedWorker(new URL('./live-worker.ts', import.meta.url), {
    type: 'module',
    name: 'rapsheet-live',
  });
  const send = (message: TabMessage) => port.postMessage(message);
  port.addEventListener('message', ({ data }: MessageEvent<LiveMessage>) => receive(data));
  port.start();
  addEventListener('pagehide', () => send('leave'));
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) send('start');
  });
  return () => send('start');
}

function receive(message: LiveMessage): void {
  if (message.kind === 'event') {
    for (const listener of listeners) listener(message.event);
    return;
  }
  state = message.state;
  for (const watcher of watchers) watcher();
}

export function useLiveState(): LiveState {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => state,
  );
}

/** Calls the listener for each change of any feed until the returned function is called. */
export function listenLive(listener: Listener): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/** Calls the listener for each change of any feed while the component is shown. */
export function useLive(listener: Listener): void {
  const onEvent = useEffectEvent(listener);
  useEffect(() => {
    const receiveOne: Listener = (event) => onEvent(event);
    return listenLive(receiveOne);
  }, []);
}
