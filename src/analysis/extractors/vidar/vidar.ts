import type { Budget } from '../../formats/format.ts';
import { type NativeProgram, nativeProgram } from '../../formats/pe/native-program.ts';
import { parsePe } from '../../formats/pe/pe.ts';
import type { Subject } from '../../subject.ts';
import { serverUrls } from '../encoded-texts/servers.ts';
import { xorTexts } from '../encoded-texts/xor-texts.ts';
import { deadDrop } from '../endpoints/addresses.ts';
import type { Extraction, Extractor, Recognition } from '../extractor.ts';
import { VIDAR_DEAD_DROP_NEEDLES, VIDAR_NEEDLES, xorHits } from '../xor-needles.ts';
import { isDeadDrop, plainDeadDrops, textAt } from './dead-drops.ts';
import { deadDropsInBlock } from './xor-block.ts';

/**
 * Vidar reads the address of its server from a page on Steam or Telegram. The program contains the
 * URLs of the pages, in one of three layouts:
 *
 * | layout | content |
 * |---|---|
 * | 1.x, 32-bit | strings XORed with keys of their length, decoded by calls (`xor-texts.ts`); the |
 * | | first are `HAL9TH` and `JohnDoe`, names of a sandbox. URLs encoded so, or plain |
 * | 2.x | every string XORed with one byte, including the zero byte at its end |
 * | 2.x, 64-bit | a block XORed with a repeating key; the program has no imports |
 *
 * StealC copied the first layout, but names a server and its page instead.
 *
 * References: https://github.com/m4now4r/VidarStealer (strings of 1.x),
 * https://github.com/jiayuchann/jiayuchann.github.io (2024-07-14-Stealc-Overview, on a sample that
 * databases list as Vidar: it reads its server from a profile on Steam),
 * https://github.com/rapid7/Rapid7-Labs (ClickFix_DoubleDonut_Campaign: names of 2.x),
 * https://mrtiepolo.medium.com/
 * operation-turb00-analyzing-and-hunting-a-vidar-campaign-b45481d8cd74 (block of 2.x)
 */
const SANDBOX_NAMES = ['HAL9TH', 'JohnDoe'];
const MIN_NAMES = 4;
const MAX_DEAD_DROPS = 16;

type Found = Extraction | Recognition | undefined;

export const vidar: Extractor = {
  family: 'vidar',
  category: 'STEALER',
  pages: {
    vidar: {
      name: 'Vidar',
      reads: 'dead drops: the pages on Steam and Telegram that name the server',
      versions:
        '1.x for 32 bits with strings encoded by XOR; 2.x with strings XORed with one byte, or with a block XORed with a repeating key; unpacked',
      proof:
        '1.x: most of the encoded strings decode to ASCII, including the two names of a sandbox; one byte: four of its own names, each up to the zero byte under its key; block: one key of at most 24 bytes decodes a profile on Steam and a page on Telegram (reported as heuristic, because other families use such pages, too)',
      notCovered:
        'the server itself, which is on the page (servers inside the block cannot be told from other texts); its marker on the page, version and botnet, whose place is not published; 1.x with the length in a register, or with RC4; other platforms',
      references: [
        'https://github.com/m4now4r/VidarStealer',
        'https://github.com/jiayuchann/jiayuchann.github.io/blob/main/_posts/2024-07-14-Stealc-Overview.md',
        'https://github.com/rapid7/Rapid7-Labs/blob/main/Yara/ClickFix_DoubleDonut_Campaign.yar',
        'https://mrtiepolo.medium.com/operation-turb00-analyzing-and-hunting-a-vidar-campaign-b45481d8cd74',
      ],
    },
  },

  matches: (subject) => nativeProgram(subject) !== undefined,

  extract(subject, budget) {
    const program = nativeProgram(subject);
    if (program === undefined) return undefined;
    return (
      (program.is32 ? inEncodedTexts(program, budget) : undefined) ??
      underOneByte(subject) ??
      inBlock(subject, program, budget)
    );
  },
};

function inEncodedTexts(program: NativeProgram, budget: Budget): Found {
  const decoded = xorTexts(program, budget);
  const texts = decoded.map(({ text }) => text);
  if (!SANDBOX_NAMES.every((name) => texts.includes(name)) || serverUrls(texts).length > 0)
    return undefined;
  const urls = [...texts.filter(isDeadDrop), ...plainDeadDrops(program.bytes)];
  // StealC decodes the same names; only the pages tell that it is Vidar.
  return urls.length === 0 ? undefined : extractionOf(urls, decoded[0]?.offset);
}

function underOneByte(subject: Subject): Found {
  const hits = xorHits(subject, VIDAR_NEEDLES);
  const names = hits.filter(({ needle }) => !VIDAR_DEAD_DROP_NEEDLES.includes(needle));
  if (new Set(names.map(({ needle }) => needle)).size < MIN_NAMES) return undefined;
  const urls = hits
    .filter(({ needle }) => VIDAR_DEAD_DROP_NEEDLES.includes(needle))
    .map(({ offset, key }) => textAt(subject.bytes, offset, key))
    .filter(isDeadDrop);
  const offset = names[0]?.offset;
  return urls.length === 0
    ? { unread: 'the strings name no page on Steam or Telegram', offset }
    : extractionOf(urls, offset);
}

function inBlock(subject: Subject, program: NativeProgram, budget: Budget): Found {
  const file = program.is32 ? undefined : subject.as(parsePe);
  // Ordinary programs have imports, and libraries exports, so the long search is skipped.
  if (file === undefined || file.imports.length > 0 || file.exports !== undefined) return undefined;
  const block = deadDropsInBlock(program, budget);
  if (block === undefined) return undefined;
  return { ...extractionOf(block.urls, block.offset), heuristic: true };
}

function extractionOf(urls: readonly string[], offset: number | undefined): Extraction {
  const endpoints = [...new Set(urls)].slice(0, MAX_DEAD_DROPS).map(deadDrop);
  return { endpoints, offset };
}
