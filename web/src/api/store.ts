/**
 * A value that lives outside of React and that components follow. What the server knows belongs to
 * the query cache instead. Values are immutable: each change sets another one. `useStore` reads it.
 */
export class Store<Value> {
  readonly #listeners = new Set<() => void>();
  #value: Value;

  constructor(value: Value) {
    this.#value = value;
  }

  get value(): Value {
    return this.#value;
  }

  set(value: Value): void {
    this.#value = value;
    for (const listener of this.#listeners) listener();
  }

  /** Calls the listener after each change until the returned function is called. */
  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}
