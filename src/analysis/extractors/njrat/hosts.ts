import { base64Bytes } from '../../codecs/base64.ts';
import { readableText } from '../../codecs/readable-text.ts';
import { findSequences } from '../../formats/dotnet/code.ts';
import type { DotnetFile } from '../../formats/dotnet/file.ts';
import { memberOf } from '../../formats/dotnet/members.ts';
import type { ConstantStore } from '../../formats/dotnet/stack-values.ts';
import type { Budget } from '../../formats/format.ts';
import {
  deadDrop,
  eachHostAndPort,
  isUrl,
  MAX_ENDPOINTS,
  splitList,
} from '../endpoints/addresses.ts';
import { isHost, parseCheckedHostPort } from '../endpoints/hosts.ts';
import type { Endpoint } from '../extractor.ts';

/**
 * Reads the host of an njRAT client. Editions obfuscate it with one or more of
 *
 * | obfuscation | example |
 * |---|---|
 * | base64 | |
 * | replaced characters | restored by `Replace` in the code, then decoded as base64 |
 * | reversed text | `//:sptth`: the URL of a paste that holds the real host |
 */
const SEPARATORS = /[,;|\s]+/;
/** `MAX_ENDPOINTS` hosts of maximum length, with ports. */
const MAX_LIST_LENGTH = MAX_ENDPOINTS * 262;
const MAX_REPLACEMENTS = 16;
/** Real replacements are a few characters. Longer ones could make the text grow without limit. */
const MAX_REPLACEMENT_LENGTH = 32;

/** The final text of a field, after the calls that editions use to restore it. */
export function textOf(store: ConstantStore): string | undefined {
  const { value, calls, inputs, result, isChangedLater } = store;
  if (isChangedLater) return undefined;
  if (typeof result === 'string') return result;
  if (typeof value !== 'string') return undefined;
  const otherInputs = inputs.slice(1);
  return calls.reduce<string | undefined>(
    (text, call) => (text === undefined ? undefined : afterCall(call, text, otherInputs)),
    value,
  );
}

/**
 * The literal that a field is set from, if only methods of the program change it; `endpointsOf`
 * tries what these do. After an unknown framework call the literal may be a part of the host, so it
 * is rejected.
 */
export function rawTextOf({ value, calls }: ConstantStore): string | undefined {
  const isOwn = (call: string) => !/^(?:System|Microsoft)\./.test(call);
  return typeof value === 'string' && calls.every(isOwn) ? value : undefined;
}

/** Removes the other arguments of the call from `inputs`. `undefined` for an unknown call. */
function afterCall(call: string, text: string, inputs: unknown[]): string | undefined {
  switch (call) {
    case 'Microsoft.VisualBasic.Strings::StrReverse':
      return reversed(text);
    case 'Microsoft.VisualBasic.Strings::Replace':
    case 'System.String::Replace': {
      const [from, to] = inputs.splice(0, call.startsWith('System') ? 2 : 5);
      return typeof from === 'string' && typeof to === 'string'
        ? replaced(text, from, to)
        : undefined;
    }
    case 'System.Convert::FromBase64String':
      return decodeText(text);
    // `FromBase64String` above already gave text.
    case 'System.Text.Encoding::GetString':
    case 'System.String::Trim':
      return text;
    default:
      return undefined;
  }
}

/** A host as the program states it. */
export interface StatedHost {
  readonly text: string;
  /** Whether a method of the program makes the real host of the text. */
  readonly isChanged: boolean;
}

/**
 * The endpoints of the first form of the text that contains any. A text that is changed must not be
 * a host already: the method may turn it into another, for example by ROT13.
 */
export function endpointsOf(
  { text, isChanged }: StatedHost,
  ports: readonly number[],
  replacements: Replacements,
  budget: Budget,
): Endpoint[] {
  const stated = text.slice(0, MAX_LIST_LENGTH);
  for (const form of formsOf(stated, replacements)) {
    if (budget.isOver()) return [];
    const endpoints = splitTexts(form)
      .values()
      .flatMap((part) => endpointsOfPart(part, ports))
      .take(MAX_ENDPOINTS)
      .toArray();
    if (endpoints.length > 0) return isChanged && form === stated ? [] : endpoints;
  }
  return [];
}

function endpointsOfPart(part: string, ports: readonly number[]): readonly Endpoint[] {
  if (isUrl(part)) return URL.canParse(part) ? [deadDrop(part)] : [];
  const hostPort = parseCheckedHostPort(part);
  if (hostPort !== undefined) return [{ protocol: 'tcp', usage: 'c2', ...hostPort }];
  return isHost(part) ? eachHostAndPort([part], ports) : [];
}

/**
 * Reversed (only a URL can be recognised as reversed), unchanged, base64, and with the replacements
 * that the code makes.
 */
function* formsOf(text: string, replacements: Replacements): Generator<string> {
  if (/\/\/:s?ptth/i.test(text)) yield reversed(text);
  yield text;
  yield* decodeBothDirections(text);
  for (const [from, to] of replacements.pairs) {
    const changed = replaced(text, from, to);
    if (changed === undefined || changed === text) continue;
    yield changed;
    yield* decodeBothDirections(changed);
  }
}

/** The literal arguments of `Replace` calls in the program. All code is decoded on first use. */
export class Replacements {
  readonly #file: DotnetFile;
  #pairs: readonly (readonly [from: string, to: string])[] | undefined;

  constructor(file: DotnetFile) {
    this.#file = file;
  }

  get pairs(): readonly (readonly [from: string, to: string])[] {
    this.#pairs ??= [...this.#find().take(MAX_REPLACEMENTS)];
    return this.#pairs;
  }

  *#find(): Generator<readonly [from: string, to: string]> {
    const file = this.#file;
    const isReplace = ({ operand = 0 }: { operand: number | undefined }) =>
      memberOf(file, operand)?.name === 'Replace';
    for (const { steps } of findSequences(file, ['ldstr', 'ldstr', isReplace])) {
      const [from = '', to = ''] = steps
        .slice(0, 2)
        .map(({ operand = 0 }) => file.metadata.heaps.userString(operand)?.text);
      yield [from, to];
    }
  }
}

function replaced(text: string, from: string, to: string): string | undefined {
  if (from === '' || from.length > MAX_REPLACEMENT_LENGTH || to.length > MAX_REPLACEMENT_LENGTH)
    return undefined;
  return text.slice(0, MAX_LIST_LENGTH).replaceAll(from, () => to);
}

function decodeBothDirections(text: string): string[] {
  return [text, reversed(text)].flatMap((one) => decodeText(one) ?? []);
}

export function decodeText(text: string): string | undefined {
  return readableText(base64Bytes(text));
}

function reversed(text: string): string {
  return [...text.slice(0, MAX_LIST_LENGTH)].reverse().join('');
}

export function splitTexts(text: string): string[] {
  return splitList(text.slice(0, MAX_LIST_LENGTH), SEPARATORS);
}
