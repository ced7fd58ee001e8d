import { useEffect, useEffectEvent } from 'react';
import { Store } from '../store.ts';
import { useStore } from '../use-store.ts';
import { connectLive, type LiveConnection } from './connections.ts';
import type { LiveEvent, LiveMessage, LiveState } from './messages.ts';

type Listener = (event: LiveEvent) => void;

const listeners = new Set<Listener>();
const state = new Store<LiveState>({ kind: 'idle' });
let connection: LiveConnection | undefined;

/**
 * Starts the stream at a position in all feeds, or joins that of another tab. Called once an
 * account is signed in.
 */
export function startLive(position: string | undefined): void {
  connection ??= connectLive(receive);
  connection.start(position);
}

/** Ends the stream of all tabs. Called when the account has signed out. */
export function stopLive(): void {
  connection?.stop();
  state.set({ kind: 'idle' });
}

/** Connects at once if the connection is lost. */
export function retryLive(): void {
  connection?.retry();
}

function receive(message: LiveMessage): void {
  if (message.kind === 'event') for (const listener of listeners) listener(message.event);
  if (message.kind === 'state') state.set(message.state);
}

export function useLiveState(): LiveState {
  return useStore(state);
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
