/** A match may overlap its own output: a run of one byte is a match of distance one. */
export function copyMatch(output: Buffer, at: number, distance: number, length: number): void {
  if (distance >= length) {
    output.copyWithin(at, at - distance, at - distance + length);
    return;
  }
  for (let index = at; index < at + length; index += 1) {
    output[index] = output[index - distance] as number;
  }
}
