/** Texts that others choose. They must stay inert, and break no layout. */
export const HOSTILE = [
  '<img src=x onerror=alert(1)>',
  'invoice\u202Egnp.exe',
  'zero\u200Bwidth\u2060joined',
  'x'.repeat(65_536),
] as const;

export const SHA256 = '7f76ecc6b5202efea0b799cc646a02ea4fde449ea473cbf728191e017af21ae2';
export const NOW = new Date();
export const ago = (seconds: number) => new Date(NOW.getTime() - 1000 * seconds).toISOString();
