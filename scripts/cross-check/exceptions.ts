import type { Exception } from './compare.ts';
import { RAT_KING_EXCEPTIONS } from './exceptions-rat-king.ts';

/**
 * Differences that are no defect of the engine, with the reason, which is found by giving changed
 * fixtures to the parsers, not by reading them. The command names those that are missing here, and
 * those that no longer occur.
 */
const CAPE: readonly Omit<Exception, 'parser'>[] = [
  {
    fixtures: ['agenttesla-damaged.exe', 'agenttesla-lookalike.exe'],
    kind: 'refused',
    reason: 'it takes any literals in the order of a mailbox or bot; the engine asks for more',
  },
  {
    fixtures: ['amadey-wide.exe'],
    kind: 'unread',
    reason: 'it does not read 64-bit builds',
  },
  {
    fixtures: ['cobalt-strike-dns.exe'],
    kind: 'different',
    fields: ['Beacon Type', 'C2s'],
    reason: 'of settings that are not encoded, it takes the port from the setting before',
  },
  {
    fixtures: ['cobalt-strike-encoded.bin', 'cobalt-strike-encoded-size.bin'],
    kind: 'unread',
    reason: 'it does not decode the stage',
  },
  {
    fixtures: ['cobalt-strike-guardrails-open.exe'],
    kind: 'unread',
    reason: 'it does not read beacons with guardrails',
  },
  {
    fixtures: ['cobalt-strike-long.exe'],
    kind: 'different',
    fields: ['User Agent'],
    reason: 'it cuts the text at the nominal size',
  },
  {
    fixtures: ['cobalt-strike-long-damaged.exe'],
    kind: 'refused',
    reason: 'it searches for each setting on its own; the engine needs an unbroken list',
  },
  {
    fixtures: ['cobalt-strike-stager-xored.exe'],
    kind: 'unread',
    reason: 'it does not search for encoded stagers',
  },
  {
    fixtures: ['cobalt-strike-template.exe'],
    kind: 'refused',
    reason: 'the settings name no server; the engine reports only the family',
  },
  {
    fixtures: ['lumma-base64.exe'],
    kind: 'different',
    fields: ['C2s', 'URLs'],
    reason: 'a profile that holds the address is a dead drop for the engine, a server for it',
  },
  {
    fixtures: ['lumma-pointers.exe'],
    kind: 'different',
    fields: ['C2s'],
    reason: 'it reports the last two labels of a name, and names with a page not at all',
  },
  {
    fixtures: ['lumma-pointers.exe'],
    kind: 'missing',
    fields: ['URLs'],
    reason: 'it reports the last two labels of a name, and names with a page not at all',
  },
  {
    fixtures: ['lumma-code.exe', 'lumma-row.exe'],
    kind: 'unread',
    reason: 'it does not read the variant',
  },
  {
    fixtures: [
      'nanocore-plain.exe',
      'nanocore-own-key.exe',
      'nanocore-group.exe',
      'nanocore-oldest.exe',
    ],
    kind: 'unread',
    reason: 'it knows the key that most builds share; with that key it reads the first, too',
  },
  {
    fixtures: ['njrat-alphabet-nameless.exe', 'njrat-nameless.exe', 'njrat-replaced.exe'],
    kind: 'unread',
    reason: 'it does not read the variant',
  },
  {
    fixtures: ['njrat-alphabet.exe', 'njrat-turned.exe'],
    kind: 'missing',
    fields: ['C2s'],
    reason:
      'it finds the version and the campaign, but not host and port in that order or encoding',
  },
  {
    fixtures: ['njrat-backwards.exe'],
    kind: 'extra',
    fields: ['C2s'],
    reason: 'it does not reverse the address of the page that holds the host',
  },
  {
    fixtures: ['njrat-damaged.exe', 'njrat-joined.exe'],
    kind: 'refused',
    reason: 'it reports settings without a valid host',
  },
  {
    fixtures: ['njrat-later.exe', 'njrat-rotated.exe'],
    kind: 'refused',
    reason: 'it takes the literal, although other code changes or replaces it',
  },
  {
    fixtures: ['redline-damaged.exe'],
    kind: 'refused',
    reason: 'it reports an address that does not decode: `192.9\\\\xae2.44:38521`',
  },
  {
    fixtures: [
      'redline-literals-plain.exe',
      'redline-optimized.exe',
      'redline-plain.exe',
      'redline-reflection-nameless.exe',
    ],
    kind: 'unread',
    reason: 'it takes literals by their order, which differs: without an empty one, or not encoded',
  },
  {
    fixtures: ['redline-nameless.exe'],
    kind: 'different',
    fields: ['C2s', 'Campaign'],
    reason: 'it takes other literals of the program: `user.config` is no address',
  },
  {
    fixtures: ['remcos-cut.exe'],
    kind: 'refused',
    reason: 'the resource is truncated; the engine reports no part of it',
  },
  {
    fixtures: ['remcos-older.exe', 'remcos-plain.exe'],
    kind: 'different',
    fields: ['C2s'],
    reason: 'it reports the first server of the list, whatever separates them',
  },
  {
    fixtures: ['masslogger-ftp.exe', 'snake-literal.exe', 'vip-telegram.exe'],
    kind: 'unread',
    reason: 'it looks for the marker of Snake Keylogger in a field',
  },
  {
    fixtures: ['masslogger-telegram.exe'],
    kind: 'unread',
    reason: 'it fails on the fields of the channels that are not used',
  },
  {
    fixtures: ['snake-ftp.exe', 'snake-telegram.exe', 'vip-ftp.exe'],
    kind: 'unread',
    reason: 'it does not read settings that are not encrypted',
  },
  {
    fixtures: ['stealc-rc4-servers.exe', 'stealc-rc4.exe'],
    kind: 'unread',
    reason: 'it does not read version 2',
  },
  {
    fixtures: ['stealc-scheme.exe'],
    kind: 'different',
    fields: ['C2s', 'URLs'],
    reason: 'it reports one of two servers',
  },
  {
    fixtures: ['strrat-member.txt'],
    kind: 'unread',
    reason: 'it reads the archive, not its member',
  },
  {
    fixtures: ['vidar-block.exe', 'vidar-byte.exe', 'vidar-encoded.exe', 'vidar-plain.exe'],
    kind: 'unread',
    reason: 'it reads none of the layouts, even with numpy, which its module needs',
  },
  {
    fixtures: ['winos-damaged.exe'],
    kind: 'refused',
    reason: 'an entry of the settings is invalid; the engine reports no part of them',
  },
  {
    fixtures: ['winos-plain.exe'],
    kind: 'different',
    fields: ['Campaign'],
    reason: 'the engine reports the default group in its reading order',
  },
];

const DISSECT: readonly Omit<Exception, 'parser'>[] = [
  {
    fixtures: ['cobalt-strike-damaged.exe', 'cobalt-strike-long-damaged.exe'],
    kind: 'refused',
    reason: 'it reports the settings around an invalid one; the engine needs an unbroken list',
  },
  {
    fixtures: ['cobalt-strike-encoded-size.bin'],
    kind: 'unread',
    reason: 'it does not decode a stage with bytes after it',
  },
  {
    fixtures: ['cobalt-strike-template.exe'],
    kind: 'refused',
    reason: 'the settings name no server; the engine reports only the family',
  },
];

export const EXCEPTIONS: readonly Exception[] = [
  ...CAPE.map((one) => ({ parser: 'CAPE-parsers', ...one })),
  ...RAT_KING_EXCEPTIONS,
  ...DISSECT.map((one) => ({ parser: 'dissect.cobaltstrike', ...one })),
];
