import type { DotnetSettings } from '../dotnet-settings/dotnet-settings.ts';
import { firstUsed } from '../dotnet-settings/field-uses.ts';
import type { Extraction, Recognition } from '../extractor.ts';
import {
  ANCHOR,
  authorizationIn,
  type Candidate,
  describe,
  endpointsIn,
  isReplaced,
  MAX_BLOCKS,
  textOf,
} from './settings.ts';

/**
 * Plain settings without names, in a program with the anchor. Nothing proves them, so they are
 * heuristic.
 */
export function readPlain(settings: DotnetSettings): Extraction | Recognition | undefined {
  return firstUsed(inFields(settings), settings)?.found ?? readLiterals(settings);
}

/** Finds settings in obfuscated fields, by a constructor that sets little else. */
function* inFields(settings: DotnetSettings): Generator<Candidate> {
  for (const block of settings.blocks.slice(0, MAX_BLOCKS)) {
    if (block.fields.some(({ isChangedLater }) => isChangedLater)) continue;
    const [ip, id, message, ...others] = block.fields.flatMap(textOf);
    const endpoints = endpointsIn(ip?.text ?? '');
    if (ip === undefined || message === undefined || others.length > 1 || endpoints.length === 0)
      continue;
    const { offset } = ip;
    const plain = { endpoints, campaign: id?.text, message: message.text, offset };
    const found = { ...describe(settings, plain), heuristic: true };
    if (!isReplaced(block, found, settings)) yield { block, found };
  }
}

/** Among the literals: only those directly after the anchor. */
function readLiterals(settings: DotnetSettings): Extraction | undefined {
  const { strings } = settings;
  const anchor = strings.findIndex(({ text }) => text === ANCHOR);
  if (anchor === -1 || authorizationIn(strings) === undefined) return undefined;
  const next = strings.slice(anchor + 1, anchor + 4);
  const index = next.findIndex(({ text }) => endpointsIn(text).length > 0);
  const address = next[index];
  if (address === undefined) return undefined;
  const { offset } = address;
  const plain = {
    endpoints: endpointsIn(address.text),
    campaign: next[index + 1]?.text,
    offset,
  };
  return { ...describe(settings, plain), heuristic: true };
}
