/**
 * `fetch` for an upload that reports progress, which the `fetch` of browsers does not. The
 * client calls it like any other.
 */
export function progressFetch(
  onSent: (bytes: number) => void,
  cancelled: AbortSignal,
): typeof fetch {
  return (input, init) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open(init?.method ?? 'GET', String(input));
      request.responseType = 'text';
      for (const [name, value] of new Headers(init?.headers)) request.setRequestHeader(name, value);
      request.upload.addEventListener('progress', ({ loaded }) => onSent(loaded));
      request.addEventListener('load', () => resolve(responseOf(request)));
      request.addEventListener('error', () => reject(new TypeError('the connection failed')));
      request.addEventListener('abort', () => reject(new DOMException('', 'AbortError')));
      for (const signal of [cancelled, init?.signal])
        signal?.addEventListener('abort', () => request.abort());
      if (cancelled.aborted) return reject(new DOMException('', 'AbortError'));
      request.send((init?.body ?? null) as XMLHttpRequestBodyInit | null);
    });
}

function responseOf(request: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().trim().split(/\r?\n/)) {
    const at = line.indexOf(':');
    if (at > 0) headers.append(line.slice(0, at), line.slice(at + 1).trim());
  }
  return new Response(request.responseText, { status: request.status, headers });
}
