interface Entry<Action> {
  readonly action: Action;
  isSent: boolean;
}

export interface HeldOptions<Action> {
  /** Sends an action. When the page is being left, the call must outlive it. */
  readonly send: (action: Action, options: { readonly isLeaving: boolean }) => Promise<void>;
  /** Told when an action was refused. */
  readonly onFailure: (error: unknown, action: Action) => void;
  /** How long an action waits before it is sent. */
  readonly waitMs: number;
  readonly schedule?: ((run: () => void, ms: number) => void) | undefined;
}

/** The time to undo an action before it is sent. */
export const UNDO_MS = 10_000;

/** Actions that wait before they are sent, so that undoing one leaves no trace. */
export class HeldActions<Action> {
  readonly #options: HeldOptions<Action>;
  readonly #watchers = new Set<() => void>();
  #entries: readonly Entry<Action>[] = [];
  #version = 0;
  /** Calls are made one after the other: a change back must not overtake the change. */
  #last: Promise<void> | undefined;

  constructor(options: HeldOptions<Action>) {
    this.#options = options;
  }

  /** Another number after each change. */
  get version(): number {
    return this.#version;
  }

  /** The last action that was neither undone nor refused. */
  get last(): Action | undefined {
    return this.#entries.at(-1)?.action;
  }

  /** The actions that are not sent yet. */
  get waiting(): readonly Action[] {
    return this.#entries.filter(({ isSent }) => !isSent).map(({ action }) => action);
  }

  subscribe = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  notify(): void {
    this.#version += 1;
    for (const watcher of this.#watchers) watcher();
  }

  add(action: Action): void {
    const entry = { action, isSent: false };
    this.#entries = [...this.#entries, entry];
    this.notify();
    const { schedule = setTimeout, waitMs } = this.#options;
    schedule(() => void this.#send(entry), waitMs);
  }

  /** Takes the last action back. Says whether it was sent already. */
  undo(): { readonly action: Action; readonly isSent: boolean } | undefined {
    const entry = this.#entries.at(-1);
    if (entry === undefined) return undefined;
    this.#entries = this.#entries.slice(0, -1);
    this.notify();
    return entry;
  }

  /** Sends what waits, oldest first: when the view is closed, or its page is left. */
  flush({ isLeaving = false } = {}): void {
    for (const entry of this.#entries) void this.#send(entry, isLeaving);
  }

  /** Makes a call for an action after those before it. */
  async run(action: Action, call: () => Promise<void>): Promise<void> {
    const guarded = () => this.#guard(action, call);
    const mine = this.#last === undefined ? guarded() : this.#last.then(guarded);
    this.#last = mine;
    await mine;
    if (this.#last === mine) this.#last = undefined;
  }

  async #send(entry: Entry<Action>, isLeaving = false): Promise<void> {
    if (entry.isSent || !this.#entries.includes(entry)) return;
    entry.isSent = true;
    this.notify();
    const { action } = entry;
    const call = () => this.#options.send(action, { isLeaving });
    // A page that is being left does not live to see an answer.
    await (isLeaving ? this.#guard(action, call) : this.run(action, call));
  }

  async #guard(action: Action, call: () => Promise<void>): Promise<void> {
    try {
      await call();
    } catch (error) {
      this.#entries = this.#entries.filter((entry) => entry.action !== action);
      this.#options.onFailure(error, action);
    }
  }
}
