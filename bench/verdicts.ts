/** Prints each figure with its measured value, and all of them again at the end. */
export class Verdicts {
  readonly #lines: string[] = [];
  #missed = 0;

  /** The number of figures that miss their target. */
  get missed(): number {
    return this.#missed;
  }

  add(figure: string, measured: number, target: number, better: 'more' | 'less'): void {
    const holds = better === 'more' ? measured >= target : measured <= target;
    if (!holds) this.#missed += 1;
    const sign = better === 'more' ? '≥' : '≤';
    this.#print(
      `${holds ? 'holds ' : 'MISSED'}  ${figure.padEnd(66)} ${measured.toFixed(2).padStart(8)}  (${sign} ${target})`,
    );
  }

  skip(figure: string, why: string): void {
    this.#print(`skipped ${figure}: ${why}`);
  }

  #print(line: string): void {
    this.#lines.push(line);
    console.log(`        ${line}`);
  }

  toString(): string {
    return this.#lines.join('\n');
  }
}

export function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}
