/** The simplest model of feeds and accounts, with which the random test compares the server. */

export interface ModelReport {
  readonly id: string;
  readonly feed: string;
  readonly c2: string;
  readonly file: string;
  readonly tags: readonly string[];
  readonly by: string;
  readonly firstSeen: string;
}

export interface ModelAccount {
  readonly name: string;
  readonly researcher: boolean;
  readonly owns: readonly string[];
  units: number;
  disabled: boolean;
}

export class Model {
  readonly accounts = new Map<string, ModelAccount>();
  /** In the order of creation. */
  reports: ModelReport[] = [];
  readonly families = new Map<string, string>();
  readonly keys = new Map<string, { readonly body: string; readonly id: string }>();
  /** The number of changes by feed. */
  readonly changes = new Map<string, number>();

  account(name: string): ModelAccount {
    const account = this.accounts.get(name);
    if (account === undefined) throw new Error(`the model has no account ${name}`);
    return account;
  }

  find(feed: string, id: string): ModelReport | undefined {
    return this.reports.find((report) => report.id === id && report.feed === feed);
  }

  firstSeen(feed: string, c2: string): string | undefined {
    return this.reports.find((report) => report.feed === feed && report.c2 === c2)?.id;
  }

  nameOf({ file, tags }: Pick<ModelReport, 'file' | 'tags'>): string {
    return this.families.get(file) ?? tags[0] ?? 'unknown';
  }

  add(report: ModelReport): void {
    this.reports.push(report);
    this.change(report.feed);
  }

  remove(id: string): void {
    const report = this.reports.find((one) => one.id === id);
    if (report === undefined) return;
    this.reports = this.reports.filter((one) => one !== report);
    this.change(report.feed);
  }

  /** Stores an analysis: the name of the reports of the file becomes its family. */
  analyse(file: string, family: string): void {
    const before = new Map(this.reports.map((report) => [report.id, this.nameOf(report)]));
    this.families.set(file, family);
    for (const report of this.reports) {
      if (before.get(report.id) !== this.nameOf(report)) this.change(report.feed);
    }
  }

  /** Spends a unit of the account, and returns the status of a lookup. */
  lookUp(name: string, outcome: 200 | 400 | 404): number {
    const account = this.account(name);
    if (account.disabled) return 401;
    if (account.units === 0) return 429;
    account.units -= 1;
    return outcome;
  }

  change(feed: string): void {
    this.changes.set(feed, (this.changes.get(feed) ?? 0) + 1);
  }
}
