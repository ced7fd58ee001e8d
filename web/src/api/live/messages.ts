import type { FeedEvent } from '../../../../src/client/follow.ts';

/** The state of the stream; `since` is when it was lost. */
export type LiveState =
  /** No tab follows. */
  | { readonly kind: 'idle' }
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  | { readonly kind: 'lost'; readonly since: number }
  /** The session has ended. */
  | { readonly kind: 'signed-out' };

/**
 * A change of a feed, or `reset`: changes may have been missed, so shown data must be refetched.
 */
export type LiveEvent = Extract<FeedEvent, { kind: 'change' }> | { readonly kind: 'reset' };

/** A message of the worker to a tab. */
export type LiveMessage =
  | { readonly kind: 'state'; readonly state: LiveState }
  | { readonly kind: 'event'; readonly event: LiveEvent }
  /** A heartbeat every few seconds: a tab that receives none opens the worker again. */
  | { readonly kind: 'beat' };

/** Where the stream starts for a tab. */
export interface LiveStart {
  /** The tab has what happened up to this time, in milliseconds since 1970. */
  readonly since: number;
  /** The position in all feeds before the tab read anything, if it is known. */
  readonly position?: string | undefined;
}

/** A message of a tab to the worker. */
export type TabMessage =
  | { readonly kind: 'join'; readonly start: LiveStart }
  | { readonly kind: 'leave' }
  /** The account has signed out, in all tabs. */
  | { readonly kind: 'end' }
  | { readonly kind: 'retry' };
