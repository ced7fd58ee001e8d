import type { ExtendedReport, SetStatusBody } from '../../../../src/client/wire.ts';
import { HeldActions } from '../../api/held-actions.ts';
import { Store } from '../../api/store.ts';

type Shown = Pick<ExtendedReport, 'status' | 'statusReason'>;

export interface DeskAction {
  readonly reports: readonly ExtendedReport[];
  readonly body: SetStatusBody;
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
  /** Called when a change was refused. */
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
  /** The statuses that differ from the last answer of the server, by report. */
  readonly shown = new Store<ReadonlyMap<string, Shown>>(new Map());
  readonly #options: Options;
  readonly #held: HeldActions<DeskAction>;

  constructor(options: Options) {
    this.#options = options;
    const { waitMs, schedule } = options;
    this.#held = new HeldActions<DeskAction>({
      waitMs,
      schedule,
      send: ({ reports, body }, { isLeaving }) =>
        options.send(
          reports.map(({ id }) => id),
          body,
          { isLeaving },
        ),
      onFailure: (error, action) => this.#fail(error, action),
    });
  }

  get entries(): HeldActions<DeskAction>['entries'] {
    return this.#held.entries;
  }

  get canUndo(): boolean {
    return this.#held.last !== undefined;
  }

  /** The actions that are not sent yet. */
  get waiting(): readonly DeskAction[] {
    return this.#held.waiting;
  }

  add(action: DeskAction): void {
    const { status, reason = null } = action.body;
    this.#show(action.reports, () => ({ status, statusReason: reason }));
    this.#held.add(action);
  }

  /** Takes the last action back. Returns it. */
  undo(): DeskAction | undefined {
    this.#show(this.#held.last?.reports ?? [], (report) => report);
    const undone = this.#held.undo();
    if (undone === undefined) return undefined;
    const { action, isSent } = undone;
    if (isSent)
      for (const { ids, body } of reversals(action))
        void this.#held.run(action, () => this.#options.send(ids, body, { isLeaving: false }));
    return action;
  }

  /** Sends the waiting actions, oldest first: when the desk is closed, or its page is left. */
  flush(options?: { readonly isLeaving?: boolean }): void {
    this.#held.flush(options);
  }

  /** Shows the status that the server has sent for these reports, unless an action waits. */
  settle(ids: readonly string[]): void {
    const waiting = this.#waitingIds();
    const told = ids.filter((id) => this.shown.value.has(id) && !waiting.has(id));
    if (told.length > 0) this.#forget(told);
  }

  #forget(ids: readonly string[]): void {
    const shown = new Map(this.shown.value);
    for (const id of ids) shown.delete(id);
    this.shown.set(shown);
  }

  #waitingIds(): ReadonlySet<string> {
    return new Set(this.waiting.flatMap(({ reports }) => reports.map(({ id }) => id)));
  }

  /** After a refusal, the reports show the status that the server has. */
  #fail(error: unknown, action: DeskAction): void {
    const waiting = this.#waitingIds();
    this.#forget(action.reports.map(({ id }) => id).filter((id) => !waiting.has(id)));
    this.#options.onFailure(error, action);
  }

  #show(reports: readonly ExtendedReport[], statusOf: (report: ExtendedReport) => Shown): void {
    const shown = new Map(this.shown.value);
    for (const report of reports) {
      const { status, statusReason } = statusOf(report);
      shown.set(report.id, { status, statusReason });
    }
    this.shown.set(shown);
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
