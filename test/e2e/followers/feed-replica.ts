/** An extended report as it goes over the wire, as far as it is looked at here. */
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
 * What a reader knows of the feeds after what it has been told, and what was wrong with how it was
 * told: a gap, a step back, a repeat.
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

  /** What differs from the stored. */
  differences(stored: ReadonlyMap<string, WireReport>, services: readonly string[]): string[] {
    const wanted = [...stored.values()].filter(({ service }) => services.includes(service));
    const mine = [...this.#reports.values()].filter(({ service }) => services.includes(service));
    const lacking = wanted.filter((report) => !isSame(report, this.#reports.get(report.id)));
    const extra = mine.filter(({ id }) => !stored.has(id));
    return [
      ...lacking.map(({ id }) => `${this.name}: ${id} is not as it is in the store`),
      ...extra.map(({ id }) => `${this.name}: ${id} is not in the store any more`),
    ];
  }
}

function isSame(one: WireReport, other: WireReport | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
