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
  /** Sends a change of several reports to one status. */
  readonly send: (ids: readonly string[], body: SetStatusBody) => Promise<void>;
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

  constructor(options: Options) {
    this.#options = options;
  }

  /** The statuses that differ from what the server has said. */
  get shown(): ReadonlyMap<string, Shown> {
    return this.#shown;
  }

  get canUndo(): boolean {
    return this.#entries.length > 0;
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

  /** Sends what waits, as before the page is closed. */
  flush(): void {
    for (const entry of this.#entries) void this.#send(entry);
  }

  /** Forgets what it shows of a report: the server has told its status. */
  settle(id: string): void {
    if (!this.#shown.has(id) || this.#isWaiting(id)) return;
    const shown = new Map(this.#shown);
    shown.delete(id);
    this.#shown = shown;
    this.#notify();
  }

  #isWaiting(id: string): boolean {
    return this.#entries.some(
      ({ state, reports }) => state === 'waiting' && reports.some((report) => report.id === id),
    );
  }

  async #send(entry: Entry): Promise<void> {
    if (entry.state === 'sent' || !this.#entries.includes(entry)) return;
    entry.state = 'sent';
    await this.#post({ ids: entry.reports.map(({ id }) => id), body: entry.body }, entry);
  }

  async #post({ ids, body }: Change, entry: Entry): Promise<void> {
    try {
      await this.#options.send(ids, body);
    } catch (error) {
      this.#entries = this.#entries.filter((one) => one !== entry);
      this.#show(entry.reports, (report) => report);
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
