/** Who ended the session: the reader signed out, or the server no longer accepts it. */
export type EndedBy = 'reader' | 'server';

let onEnd: (by: EndedBy) => void = () => undefined;

/** Sets what happens when the session has ended. */
export function whenSessionEnds(react: (by: EndedBy) => void): void {
  onEnd = react;
}

/** Called when the server says that the session has ended, and after ending it. */
export function tellSessionEnd(by: EndedBy): void {
  onEnd(by);
}

/**
 * A `fetch` that notices the end of the session, whoever calls: queries, changes, lists, uploads. A
 * refused sign-in says nothing about the session that this browser has.
 */
export function noticingSessionEnd(inner: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await inner(input, init);
    if (response.status === 401 && pathOf(input) !== '/session') tellSessionEnd('server');
    return response;
  };
}

function pathOf(input: Parameters<typeof fetch>[0]): string {
  return new URL(input instanceof Request ? input.url : input).pathname;
}
