import type { TableText } from './settings.ts';

/**
 * A benign C program with a table in the shape of Mirai's: the texts are passed to a function that
 * copies them, together with their lengths. It prints a line and ends.
 */
export function sourcesOf({ table, passwords }: Texts): Readonly<Record<string, string>> {
  const entries = table.map(({ bytes, length }) => ({ text: literal(bytes), length }));
  const logins = passwords
    .slice(1)
    .map((word, at) => `  add_login(${literal(passwords[at] ?? word)}, ${literal(word)}, ${at});`);
  return {
    'main.c': MAIN,
    'util.c': UTIL,
    'scanner.c': `${SCANNER}\nvoid scanner_init(void) {\n${logins.join('\n')}\n}\n`,
    'table.c': tableSource(entries),
  };
}

/** The texts of a program. */
export interface Texts {
  readonly table: readonly TableText[];
  /** Names and passwords of the scanner. */
  readonly passwords: readonly Buffer[];
}

/** The file that fills the table; `text` is an expression of C. */
export function tableSource(entries: readonly { text: string; length: number }[]): string {
  const calls = entries.map(
    ({ text, length }, id) => `  add_entry(${id + 1}, ${text}, ${length});`,
  );
  return `${TABLE}\nvoid table_init(void) {\n${calls.join('\n')}\n}\n`;
}

function literal(bytes: Buffer): string {
  return `"${[...bytes].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}"`;
}

const DECLARATIONS = `
void *malloc(unsigned long);
int puts(const char *);
int printf(const char *, ...);
void util_memcpy(void *, const void *, int);
void table_init(void);
void table_unlock(unsigned char);
char *table_value(int, int *);
void scanner_init(void);
`;

const TABLE = `${DECLARATIONS}
unsigned int table_key = 0xdeadbeef;
struct value { char *val; unsigned short val_len; };
struct value table[80];
static void add_entry(unsigned char id, char *buf, int buf_len) {
  char *copy = malloc(buf_len);
  util_memcpy(copy, buf, buf_len);
  table[id].val = copy;
  table[id].val_len = (unsigned short)buf_len;
}
void table_unlock(unsigned char id) {
  struct value *val = &table[id];
  unsigned char k = table_key ^ (table_key >> 8) ^ (table_key >> 16) ^ (table_key >> 24);
  for (int i = 0; i < val->val_len; i++) val->val[i] ^= k;
}
char *table_value(int id, int *len) {
  if (len) *len = table[id].val_len;
  return table[id].val;
}`;

const SCANNER = `${DECLARATIONS}
struct login { char *user, *pass; int weight; };
static struct login logins[64];
static int count;
static void add_login(char *user, char *pass, int weight) {
  int length = 0;
  while (user[length]) length++;
  logins[count].user = malloc(length + 1);
  util_memcpy(logins[count].user, user, length);
  logins[count].pass = pass;
  logins[count++].weight = weight;
}`;

const UTIL = `
void util_memcpy(void *to, const void *from, int length) {
  char *a = to;
  const char *b = from;
  while (length--) *a++ = *b++;
}`;

const MAIN = `${DECLARATIONS}
static const int numbers[] = {1, 48101, 7547, 0x10203, 23};
int main(int argc, char **argv) {
  puts("fixture: a table of texts");
  table_init();
  scanner_init();
  for (int id = 1; id < argc; id++) {
    table_unlock(id);
    printf("%s %d\\n", table_value(id, 0), numbers[id & 3]);
  }
  return 0;
}`;

/** What a program without C library needs. */
export const WITHOUT_LIBRARY = `
static char memory[65536];
static unsigned long used;
void *malloc(unsigned long size) { used += (size + 15) & -16ul; return memory + used - size; }
volatile char shown;
int puts(const char *text) { while (*text) shown = *text++; return 0; }
int printf(const char *text, ...) { while (*text) shown = *text++; return 0; }
int main(int, char **);
void *memset(void *to, int byte, unsigned long size) { char *at = to; while (size--) *at++ = byte; return to; }
void _start(void) { main(0, 0); for (;;) ; }
void __start(void) { _start(); }
`;
