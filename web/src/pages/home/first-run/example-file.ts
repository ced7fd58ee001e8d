/**
 * A harmless text with a C2 address that is reserved for documentation, so that no block list has
 * it. The demo has the same file.
 */
const LINES = [
  'A harmless text that stands for a file of the invented family "Paperkite".',
  'gate = http://gate.paperkite.example.invalid/in',
  'address = 198.51.100.77:8080',
];

export const EXAMPLE = {
  fileName: 'paperkite.txt',
  content: `${LINES.join('\n')}\n`,
  sha256: '42029456489cf66cdb3f51a71397c1bf28f0ae1c8c278d4e1bc57c3c4733e4a8',
  c2: '198.51.100.77:8080',
} as const;
