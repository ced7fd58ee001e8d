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

/** A message of a tab to the worker. */
export type TabMessage =
  /** The tab has what happened up to `since`, in milliseconds since 1970. */
  | { readonly kind: 'join'; readonly since: number }
  | { readonly kind: 'leave' }
  /** The account has signed out, in all tabs. */
  | { readonly kind: 'end' }
  | { readonly kind: 'retry' };
