import {
  SECTION,
  type SectionName,
  type WasmFunction,
  WasmReader,
  type WasmSection,
} from './wasm-reader.ts';

/** Two exports that every use of the module calls; both call its constructors first. */
const EXPORTS = ['__wbindgen_malloc_command_export', '__externref_table_alloc_command_export'];

const CALL = 0x10;
/** A mutable 32-bit number, at first 0. */
const NEW_GLOBAL = [0x7f, 0x01, 0x41, 0x00, 0x0b];

/**
 * Rewrites the module of YARA so that its constructors run once per instance. It is linked as a
 * command, whose exports all call the constructors: 400 registrations, which have an effect only
 * the first time. A scan calls exports hundreds of times, so they took three quarters of its time.
 * Returns the module unchanged if it is not built like this.
 */
export function withConstructorsOnce(wasm: Buffer): Buffer {
  const reader = new WasmReader(wasm);
  const byId = reader.sections();
  const section = (name: SectionName) => byId.get(SECTION[name]) ?? { at: 0, start: 0, end: 0 };
  const constructors = findConstructors(reader, section);
  if (constructors === undefined || !byId.has(SECTION.globals)) return wasm;
  const [globals, code] = [section('globals'), section('code')];
  const { value: globalCount, end: firstGlobal } = reader.numberAt(globals.start);
  const body = Buffer.concat([
    wasm.subarray(reader.numberAt(constructors.start).end, constructors.instructions),
    returnIfSet(globalCount),
    wasm.subarray(constructors.instructions, constructors.end),
  ]);
  return Buffer.concat([
    wasm.subarray(0, globals.at),
    ...withHeader(SECTION.globals, [
      Buffer.from(encodeNumber(globalCount + 1)),
      wasm.subarray(firstGlobal, globals.end),
      Buffer.from(NEW_GLOBAL),
    ]),
    wasm.subarray(globals.end, code.at),
    ...withHeader(SECTION.code, [
      wasm.subarray(code.start, constructors.start),
      Buffer.from(encodeNumber(body.length)),
      body,
      wasm.subarray(constructors.end, code.end),
    ]),
    wasm.subarray(code.end),
  ]);
}

/** The function that the exports call first; `undefined` if they do not. */
function findConstructors(
  reader: WasmReader,
  section: (name: SectionName) => WasmSection,
): WasmFunction | undefined {
  const imports = reader.functionImports(section('imports'));
  if (imports === undefined) return undefined;
  const functionOf = (index = -1) => reader.function(section('code'), index - imports);
  const exported = reader.functionExports(section('exports'));
  const [one, other] = EXPORTS.map((name) => {
    const at = functionOf(exported.get(name))?.instructions ?? 0;
    const { value: instruction, end } = reader.numberAt(at);
    return instruction === CALL ? reader.numberAt(end).value : undefined;
  });
  return one === other ? functionOf(one) : undefined;
}

/** `if (set) return; set = 1;` */
function returnIfSet(globalIndex: number): Buffer {
  const index = encodeNumber(globalIndex);
  return Buffer.of(0x23, ...index, 0x04, 0x40, 0x0f, 0x0b, 0x41, 0x01, 0x24, ...index);
}

function withHeader(id: number, parts: readonly Buffer[]): readonly Buffer[] {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return [Buffer.of(id, ...encodeNumber(length)), ...parts];
}

/** LEB128. */
function encodeNumber(value: number): number[] {
  const low = value & 0x7f;
  return value < 0x80 ? [low] : [low | 0x80, ...encodeNumber(value >>> 7)];
}
