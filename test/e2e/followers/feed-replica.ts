/** The members of an extended report that the test reads. */
export interface WireReport {
  readonly id: string;
  readonly service: string;
  readonly sequence: number;
  readonly status: string;
  readonly [member: string]: unknown;
}

export interface WireChange {
  readonly service?: string;
  readonly sequence: number;
  readonly type: 'created' | 'updated' | 'deleted';
  readonly id: string;
  readonly report?: WireReport;
}

/**
 * A copy of the feeds that a reader builds from changes. Records each gap, step back and repeat in
 * the sequences.
 */
export class FeedReplica {
  readonly name: string;
  readonly broken: string[] = [];
  readonly #reports = new Map<string, WireReport>();
  readonly #positions = new Map<string, number>();

  constructor(name: string) {
    this.name = name;
  }

  position(service: string): number {
    return this.#positions.get(service) ?? 0;
  }

  apply(service: string, change: WireChange): void {
    const last = this.position(service);
    if (change.sequence !== last + 1)
      this.broken.push(`${this.name}: ${service} went from ${last} to ${change.sequence}`);
    this.#positions.set(service, change.sequence);
    if (change.type === 'deleted') this.#reports.delete(change.id);
    else if (change.report !== undefined) this.#reports.set(change.id, change.report);
  }

  /** Returns the differences from the reports in the store. */
  differences(stored: ReadonlyMap<string, WireReport>, services: readonly string[]): string[] {
    const wanted = [...stored.values()].filter(({ service }) => services.includes(service));
    const mine = [...this.#reports.values()].filter(({ service }) => services.includes(service));
    const different = wanted.filter((report) => !isSame(report, this.#reports.get(report.id)));
    const extra = mine.filter(({ id }) => !stored.has(id));
    return [
      ...different.map(({ id }) => `${this.name}: ${id} differs from the store`),
      ...extra.map(({ id }) => `${this.name}: ${id} is not in the store`),
    ];
  }
}

function isSame(one: WireReport, other: WireReport | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
