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

/** How editions of njRAT hide the host, and how to read it all the same. */
const SEPARATORS = /[,;|\s]+/;
/** A list of as many hosts as are kept, each of them as long as a name may be. */
const MOST_LIST = MAX_ENDPOINTS * 262;
const MOST_REPLACEMENTS = 16;
/** A letter or a few stand for a letter. Longer ones would make a text grow without end. */
const MOST_REPLACED = 32;

/** The text that a field ends up with: njRAT's editions have it turned and replaced on the way. */
export function textOf({ value, calls, inputs, result }: ConstantStore): string | undefined {
  if (typeof result === 'string') return result;
  if (typeof value !== 'string') return undefined;
  const otherInputs = inputs.slice(1);
  return calls.reduce<string | undefined>(
    (text, call) => (text === undefined ? undefined : afterCall(call, text, otherInputs)),
    value,
  );
}

/**
 * The text that a field is stored from, where only the program's own code changes it: what that code does is tried
 * afterwards. A text that the framework changes in a way we do not know may be half of a name, which is another name.
 */
export function rawTextOf({ value, calls }: ConstantStore): string | undefined {
  const isOwn = (call: string) => !/^(?:System|Microsoft)\./.test(call);
  return typeof value === 'string' && calls.every(isOwn) ? value : undefined;
}

/** Takes what the call was given besides the text off `rest`. Nothing where we do not know the call. */
function afterCall(call: string, text: string, rest: unknown[]): string | undefined {
  switch (call) {
    case 'Microsoft.VisualBasic.Strings::StrReverse':
      return backwards(text);
    case 'Microsoft.VisualBasic.Strings::Replace':
    case 'System.String::Replace': {
      const [from, to] = rest.splice(0, call.startsWith('System') ? 2 : 5);
      return typeof from === 'string' && typeof to === 'string'
        ? replaced(text, from, to)
        : undefined;
    }
    case 'System.Convert::FromBase64String':
      return decoded(text);
    // Bytes and text are the same here.
    case 'System.Text.Encoding::GetString':
    case 'System.String::Trim':
      return text;
    default:
      return undefined;
  }
}

/** The first form of the text in which it is hosts. */
export function endpointsOf(
  text: string,
  ports: readonly number[],
  replacements: Replacements,
  budget: Budget,
): Endpoint[] {
  for (const form of formsOf(text.slice(0, MOST_LIST), replacements)) {
    if (budget.isOver()) return [];
    const endpoints = partsOf(form)
      .values()
      .flatMap((part) => endpointsAt(part, ports))
      .take(MAX_ENDPOINTS)
      .toArray();
    if (endpoints.length > 0) return endpoints;
  }
  return [];
}

function endpointsAt(part: string, ports: readonly number[]): readonly Endpoint[] {
  if (isUrl(part)) return URL.canParse(part) ? [deadDrop(part)] : [];
  const place = parseCheckedHostPort(part);
  if (place !== undefined) return [{ protocol: 'tcp', usage: 'c2', ...place }];
  return isHost(part) ? eachHostAndPort([part], ports) : [];
}

/**
 * As it stands, then as editions hide it: backwards (only a URL says so of itself: a name reads both ways),
 * in base64, in base64 with letters replaced by what the code puts back.
 */
function* formsOf(text: string, replacements: Replacements): Generator<string> {
  if (/\/\/:s?ptth/i.test(text)) yield backwards(text);
  yield text;
  yield* decodedBothWays(text);
  for (const [from, to] of replacements.pairs) {
    const changed = replaced(text, from, to);
    if (changed === undefined || changed === text) continue;
    yield changed;
    yield* decodedBothWays(changed);
  }
}

/** What the program's code replaces by what, looked for where a host cannot be read without. */
export class Replacements {
  readonly #file: DotnetFile;
  #pairs: readonly (readonly [from: string, to: string])[] | undefined;

  constructor(file: DotnetFile) {
    this.#file = file;
  }

  get pairs(): readonly (readonly [from: string, to: string])[] {
    this.#pairs ??= [...this.#find().take(MOST_REPLACEMENTS)];
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
  if (from === '' || from.length > MOST_REPLACED || to.length > MOST_REPLACED) return undefined;
  return text.slice(0, MOST_LIST).replaceAll(from, () => to);
}

function decodedBothWays(text: string): string[] {
  return [text, backwards(text)].flatMap((one) => decoded(one) ?? []);
}

export function decoded(text: string): string | undefined {
  return readableText(base64Bytes(text));
}

function backwards(text: string): string {
  return [...text.slice(0, MOST_LIST)].reverse().join('');
}

export function partsOf(text: string): string[] {
  return splitList(text.slice(0, MOST_LIST), SEPARATORS);
}
