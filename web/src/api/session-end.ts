let onEnd: () => void = () => undefined;

/** Sets what happens when the session has ended. */
export function whenSessionEnds(react: () => void): void {
  onEnd = react;
}

/** Called when the server says that the session has ended, and after ending it. */
export function tellSessionEnd(): void {
  onEnd();
}

/**
 * A `fetch` that notices the end of the session, whoever calls: queries, changes, lists, uploads. A
 * refused sign-in says nothing about the session that this browser has.
 */
export function noticingSessionEnd(inner: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await inner(input, init);
    if (response.status === 401 && pathOf(input) !== '/session') tellSessionEnd();
    return response;
  };
}

function pathOf(input: Parameters<typeof fetch>[0]): string {
  return new URL(input instanceof Request ? input.url : input).pathname;
}
