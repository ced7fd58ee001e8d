import type { Exception } from './compare.ts';

const RAT_KING: readonly Omit<Exception, 'parser'>[] = [
  {
    fixtures: ['asyncrat-cfb.exe', 'quasar-md5-cfb.exe'],
    kind: 'unread',
    reason: 'of CFB it reads the mode with a feedback of 8 bits, not of 128',
  },
  {
    fixtures: ['asyncrat-decoy.exe', 'xenorat-decoy.exe'],
    kind: 'different',
    fields: ['C2s'],
    reason: 'it takes the first class of the form, which nothing uses',
  },
  {
    fixtures: ['asyncrat-clone.exe'],
    kind: 'unread',
    reason: 'the clone varies names, salt, rounds, size of the key and code at once',
  },
  {
    fixtures: ['quasar-md5.exe'],
    kind: 'unread',
    reason: 'it does not read the versions that derive the key with MD5',
  },
  {
    fixtures: ['quasar-nameless.exe'],
    kind: 'extra',
    fields: ['Reconnect Delay'],
    reason: 'the engine reads numbers by the names of their fields',
  },
  {
    fixtures: ['xworm-nameless-wallets.exe', 'xworm-nameless.exe', 'xworm-shapes.exe'],
    kind: 'unread',
    reason:
      'it recognises obfuscated names by code that decrypts every value; the fixtures decrypt one',
  },
  {
    fixtures: ['asyncrat-reflection.exe', 'quasar-reflection.exe'],
    kind: 'unread',
    reason: 'the fixtures create the cipher by its name, without a reference to its type',
  },
  {
    fixtures: [
      'asyncrat-damaged.exe',
      'asyncrat-dcrat-damaged.exe',
      'asyncrat-venomrat-damaged.exe',
      'quasar-damaged.exe',
    ],
    kind: 'refused',
    reason: 'it does not verify the MAC, and reports encrypted text if it cannot decrypt a value',
  },
  {
    fixtures: ['asyncrat-dcrat-several.exe'],
    kind: 'different',
    fields: ['C2s'],
    reason: 'it reports the port 0, to which nothing can connect',
  },
  {
    fixtures: ['xenorat-damaged.exe', 'xenorat-lookalike.exe'],
    kind: 'refused',
    reason: 'it takes any class with these names; the engine asks for the values of the builder',
  },
  {
    fixtures: ['xenorat-nameless.exe'],
    kind: 'unread',
    reason: 'fields of the fixture have equal names; it needs distinct ones',
  },
  {
    fixtures: ['xenorat-template.exe', 'xworm-template.exe'],
    kind: 'refused',
    reason: 'the program was never built, and holds the defaults of its author',
  },
  {
    fixtures: ['xworm-cbc.exe'],
    kind: 'different',
    fields: ['C2s'],
    reason: 'it decrypts with ECB, which is right for values of one block',
  },
  {
    fixtures: ['xworm-cfb.exe'],
    kind: 'different',
    fields: ['C2s', 'Campaign', 'Delimiter', 'Install File', 'Install Folder', 'Key', 'USB File'],
    reason: 'it decrypts with ECB; the results are not readable',
  },
  {
    fixtures: ['xworm-damaged.exe', 'xworm-lookalike.exe'],
    kind: 'refused',
    reason: 'it reports encrypted text if it cannot decrypt a value',
  },
  {
    fixtures: ['xworm-triple-des.exe'],
    kind: 'unread',
    reason: 'it does not decrypt with 3DES',
  },
];

export const RAT_KING_EXCEPTIONS: readonly Exception[] = RAT_KING.map((one) => ({
  parser: 'rat_king_parser',
  ...one,
}));
