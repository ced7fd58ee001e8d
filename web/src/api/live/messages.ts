import type { FeedEvent } from '../../../../src/client/follow.ts';

/** The state of the stream; `since` is when it was lost. */
export type LiveState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  | { readonly kind: 'lost'; readonly since: number }
  /** The session has ended. */
  | { readonly kind: 'signed-out' };

/** What the worker tells the tabs. */
export type LiveMessage =
  | { readonly kind: 'state'; readonly state: LiveState }
  | { readonly kind: 'event'; readonly event: FeedEvent };

/** What a tab tells the worker. */
export type TabMessage = 'start' | 'leave';
