import type { ExtendedReport, SetStatusBody } from '../../../../src/client/wire.ts';

type Shown = Pick<ExtendedReport, 'status' | 'statusReason'>;

export interface DeskAction {
  readonly reports: readonly ExtendedReport[];
  readonly body: SetStatusBody;
}

interface Entry extends DeskAction {
  readonly number: number;
  state: 'waiting' | 'sent';
}

interface Options {
  /**
   * Sends a change of several reports to one status. When the page is being left, the call must
   * outlive it.
   */
  readonly send: (
    ids: readonly string[],
    body: SetStatusBody,
    options: { readonly isLeaving: boolean },
  ) => Promise<void>;
  /** Told when a change was refused. */
  readonly onFailure: (error: unknown, action: DeskAction) => void;
  /** How long an action waits before it is sent. */
  readonly waitMs: number;
  readonly schedule?: (run: () => void, ms: number) => void;
}

/**
 * The actions of a desk. Each shows at once and waits before it is sent, so that undoing it leaves
 * no trace; undoing one that was sent is a change back.
 */
export class PendingActions {
  readonly #options: Options;
  readonly #watchers = new Set<() => void>();
  #entries: readonly Entry[] = [];
  #shown: ReadonlyMap<string, Shown> = new Map();
  #lastNumber = 0;
  #version = 0;
  /** Calls are made one after the other: a change back must not overtake the change. */
  #last: Promise<void> | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** The statuses that differ from what the server has said. */
  get shown(): ReadonlyMap<string, Shown> {
    return this.#shown;
  }

  /** Another number after each change. */
  get version(): number {
    return this.#version;
  }

  get canUndo(): boolean {
    return this.#entries.length > 0;
  }

  /** The actions that are not sent yet. */
  get waiting(): readonly DeskAction[] {
    return this.#entries.filter(({ state }) => state === 'waiting');
  }

  subscribe = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  add(action: DeskAction): void {
    this.#lastNumber += 1;
    const entry: Entry = { ...action, number: this.#lastNumber, state: 'waiting' };
    this.#entries = [...this.#entries, entry];
    const { status, reason = null } = action.body;
    this.#show(action.reports, () => ({ status, statusReason: reason }));
    const { schedule = setTimeout, waitMs } = this.#options;
    schedule(() => void this.#send(entry), waitMs);
  }

  /** Takes the last action back. Returns it. */
  undo(): DeskAction | undefined {
    const entry = this.#entries.at(-1);
    if (entry === undefined) return undefined;
    this.#entries = this.#entries.slice(0, -1);
    this.#show(entry.reports, (report) => report);
    if (entry.state === 'sent') for (const body of reversals(entry)) void this.#post(body, entry);
    return entry;
  }

  /** Sends what waits, oldest first: when the desk is closed, or its page is left. */
  flush({ isLeaving = false } = {}): void {
    for (const entry of this.#entries) void this.#send(entry, isLeaving);
  }

  /** Forgets what it shows of reports: the server has told their status. */
  settle(ids: readonly string[]): void {
    const waiting = this.#waitingIds();
    const told = ids.filter((id) => this.#shown.has(id) && !waiting.has(id));
    if (told.length > 0) this.#forget(told);
  }

  #forget(ids: readonly string[]): void {
    const shown = new Map(this.#shown);
    for (const id of ids) shown.delete(id);
    this.#shown = shown;
    this.#notify();
  }

  #waitingIds(): ReadonlySet<string> {
    return new Set(this.waiting.flatMap(({ reports }) => reports.map(({ id }) => id)));
  }

  async #send(entry: Entry, isLeaving = false): Promise<void> {
    if (entry.state === 'sent' || !this.#entries.includes(entry)) return;
    entry.state = 'sent';
    const ids = entry.reports.map(({ id }) => id);
    this.#notify();
    await this.#post({ ids, body: entry.body }, entry, isLeaving);
  }

  async #post(change: Change, entry: Entry, isLeaving = false): Promise<void> {
    // A page that is being left does not live to see an answer.
    if (isLeaving) return await this.#call(change, entry, isLeaving);
    const run = () => this.#call(change, entry, isLeaving);
    const mine = this.#last === undefined ? run() : this.#last.then(run);
    this.#last = mine;
    await mine;
    if (this.#last === mine) this.#last = undefined;
  }

  async #call({ ids, body }: Change, entry: Entry, isLeaving: boolean): Promise<void> {
    try {
      await this.#options.send(ids, body, { isLeaving });
    } catch (error) {
      this.#entries = this.#entries.filter((one) => one !== entry);
      // What the server has, and the list tells, is true again.
      const waiting = this.#waitingIds();
      this.#forget(ids.filter((id) => !waiting.has(id)));
      this.#options.onFailure(error, entry);
    }
  }

  #show(reports: readonly ExtendedReport[], statusOf: (report: ExtendedReport) => Shown): void {
    const shown = new Map(this.#shown);
    for (const report of reports) {
      const { status, statusReason } = statusOf(report);
      shown.set(report.id, { status, statusReason });
    }
    this.#shown = shown;
    this.#notify();
  }

  #notify(): void {
    this.#version += 1;
    for (const watcher of this.#watchers) watcher();
  }
}

interface Change {
  readonly ids: readonly string[];
  readonly body: SetStatusBody;
}

/** The changes that give the reports of an action their earlier statuses. */
function reversals({ reports }: DeskAction): readonly Change[] {
  const changes = new Map<string, { ids: string[]; body: SetStatusBody }>();
  for (const { id, status, statusReason, statusNote } of reports) {
    // A desk cannot set this status; the report expires again by itself.
    if (status === 'expired') continue;
    const body: SetStatusBody = {
      status,
      ...(statusReason !== null && { reason: statusReason }),
      ...(statusNote !== undefined && { note: statusNote }),
    };
    const key = JSON.stringify(body);
    const change = changes.get(key) ?? { ids: [], body };
    change.ids.push(id);
    changes.set(key, change);
  }
  return [...changes.values()];
}
