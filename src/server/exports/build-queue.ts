interface QueuedBuild {
  readonly accountId: string;
}

/** Builds that wait. */
export class BuildQueue<Job extends QueuedBuild> {
  readonly #limit: number;
  #jobs: Job[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.#jobs.length >= this.#limit;
  }

  add(job: Job): void {
    this.#jobs.push(job);
  }

  /**
   * The first one of an account that has none in `running`; else the first one. So an account with
   * many builds leaves room for one of another.
   */
  take(running: Iterable<QueuedBuild>): Job | undefined {
    const busy = new Set([...running].map(({ accountId }) => accountId));
    const index = this.#jobs.findIndex(({ accountId }) => !busy.has(accountId));
    return this.#jobs.splice(Math.max(0, index), 1)[0];
  }

  /** Returns whether it was waiting. */
  remove(job: Job): boolean {
    const index = this.#jobs.indexOf(job);
    if (index === -1) return false;
    this.#jobs.splice(index, 1);
    return true;
  }

  removeAll(): readonly Job[] {
    return this.#jobs.splice(0);
  }
}
