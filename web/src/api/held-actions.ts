import { Store } from './store.ts';

interface Entry<Action> {
  readonly action: Action;
  readonly isSent: boolean;
}

export interface HeldOptions<Action> {
  /** Sends an action. When the page is being left, the call must outlive it. */
  readonly send: (action: Action, options: { readonly isLeaving: boolean }) => Promise<void>;
  /** Called when an action was refused. */
  readonly onFailure: (error: unknown, action: Action) => void;
  /** How long an action waits before it is sent. */
  readonly waitMs: number;
  readonly schedule?: ((run: () => void, ms: number) => void) | undefined;
}

/** The time to undo an action before it is sent. */
export const UNDO_MS = 10_000;

/** Actions that wait before they are sent, so that undoing one leaves no trace. */
export class HeldActions<Action> {
  /** The actions that were neither undone nor refused, oldest first. */
  readonly entries = new Store<readonly Entry<Action>[]>([]);
  readonly #options: HeldOptions<Action>;
  /** Calls are made one after the other: a change back must not overtake the change. */
  #last: Promise<void> | undefined;

  constructor(options: HeldOptions<Action>) {
    this.#options = options;
  }

  /** The last action that was neither undone nor refused. */
  get last(): Action | undefined {
    return this.entries.value.at(-1)?.action;
  }

  /** The actions that are not sent yet. */
  get waiting(): readonly Action[] {
    return this.entries.value.filter(({ isSent }) => !isSent).map(({ action }) => action);
  }

  add(action: Action): void {
    this.entries.set([...this.entries.value, { action, isSent: false }]);
    const { schedule = setTimeout, waitMs } = this.#options;
    schedule(() => void this.#send(action), waitMs);
  }

  /** Takes the last action back. Returns it, and whether it was sent already. */
  undo(): { readonly action: Action; readonly isSent: boolean } | undefined {
    const entry = this.entries.value.at(-1);
    if (entry !== undefined) this.entries.set(this.entries.value.slice(0, -1));
    return entry;
  }

  /** Sends the waiting actions, oldest first: when the view is closed, or its page is left. */
  flush({ isLeaving = false } = {}): void {
    for (const action of this.waiting) void this.#send(action, isLeaving);
  }

  /** Makes a call for an action after all earlier calls have ended. */
  async run(action: Action, call: () => Promise<void>): Promise<void> {
    const guarded = () => this.#guard(action, call);
    const mine = this.#last === undefined ? guarded() : this.#last.then(guarded);
    this.#last = mine;
    await mine;
    if (this.#last === mine) this.#last = undefined;
  }

  async #send(action: Action, isLeaving = false): Promise<void> {
    if (!this.waiting.includes(action)) return;
    this.entries.set(
      this.entries.value.map((entry) =>
        entry.action === action ? { action, isSent: true } : entry,
      ),
    );
    const call = () => this.#options.send(action, { isLeaving });
    // A page that is being left is gone before the answer arrives, so calls do not wait for others.
    await (isLeaving ? this.#guard(action, call) : this.run(action, call));
  }

  async #guard(action: Action, call: () => Promise<void>): Promise<void> {
    try {
      await call();
    } catch (error) {
      this.entries.set(this.entries.value.filter((entry) => entry.action !== action));
      this.#options.onFailure(error, action);
    }
  }
}
