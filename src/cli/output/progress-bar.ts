const BAR_CELLS = 30;
const TERMINAL_PAUSE_MS = 100;
/** Keeps a log file short. */
const LOG_PAUSE_MS = 5000;
const CLEAR_LINE = '\r\x1b[K';

interface Output {
  readonly isTTY?: boolean;
  write(text: string): boolean;
}

/** Shows progress: a bar on a terminal, else a line every few seconds. */
export class ProgressBar {
  readonly #out: Output;
  readonly #totalBytes: number | undefined;
  readonly #unit: string;
  readonly #now: () => number;
  readonly #startedAt: number;
  readonly #pauseMs: number;
  #nextAt: number;

  constructor(
    out: Output,
    totalBytes: number | undefined,
    { unit = 'lines', now = () => performance.now() } = {},
  ) {
    this.#out = out;
    this.#unit = unit;
    this.#now = now;
    this.#startedAt = now();
    this.#totalBytes = totalBytes;
    this.#pauseMs = out.isTTY ? TERMINAL_PAUSE_MS : LOG_PAUSE_MS;
    this.#nextAt = this.#startedAt + this.#pauseMs;
  }

  show(bytes: number, count: number): void {
    const now = this.#now();
    if (now < this.#nextAt) return;
    this.#nextAt = now + this.#pauseMs;
    const perSecond = Math.round((count * 1000) / (now - this.#startedAt));
    const text = `${this.#share(bytes)}${count} ${this.#unit}, ${perSecond} a second`;
    this.#out.write(this.#out.isTTY ? `${CLEAR_LINE}${text}` : `${text}\n`);
  }

  /** Clears the line for other output. */
  clear(): void {
    if (this.#out.isTTY) this.#out.write(CLEAR_LINE);
  }

  #share(bytes: number): string {
    if (this.#totalBytes === undefined || this.#totalBytes === 0) return '';
    const share = Math.min(1, bytes / this.#totalBytes);
    const percent = `${Math.floor(share * 100)} %  `;
    const full = Math.round(share * BAR_CELLS);
    return this.#out.isTTY
      ? `[${'#'.repeat(full)}${'.'.repeat(BAR_CELLS - full)}] ${percent}`
      : percent;
  }
}

/** A progress callback that creates its bar at the first call, when the total is known. */
export function createBar(unit: string): (done: number, total: number) => void {
  let bar: ProgressBar | undefined;
  return (done, total) => {
    bar ??= new ProgressBar(process.stderr, total, { unit });
    bar.show(done, done);
    if (done >= total) bar.clear();
  };
}
