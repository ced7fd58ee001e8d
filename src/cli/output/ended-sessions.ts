/** What ended, in words. */
export function endedText({
  ended,
  revoked,
}: {
  readonly ended: number;
  readonly revoked: number;
}): string {
  const tokens = revoked === 0 ? '' : ` ${counted(revoked, 'token')} revoked.`;
  return `${counted(ended, 'session')} ended.${tokens}`;
}

function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
