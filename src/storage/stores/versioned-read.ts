import type { Runner } from '../units/runner.ts';
import type { UnitOfWork } from '../units/unit-of-work.ts';

/**
 * A read whose result is kept until the version changes. The version is read before the value, in
 * one snapshot: what changes in between is read again.
 */
export function versionedRead<Version, Value>(
  runner: Runner,
  readVersion: () => UnitOfWork<Version>,
  readValue: () => UnitOfWork<Value>,
): () => Promise<Value> {
  let known: { readonly version: Version; readonly value: Value } | undefined;
  function* readBoth() {
    const version = yield* readVersion();
    return { version, value: yield* readValue() };
  }
  return async () => {
    const version = await runner.read(readVersion);
    if (known === undefined || known.version !== version) known = await runner.read(readBoth);
    return known.value;
  };
}
