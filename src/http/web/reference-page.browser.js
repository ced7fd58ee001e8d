/**
 * Runs in the browser before Swagger UI starts, as a classic script: an introduction, a token that
 * is kept as long as the tab, and streams that can be stopped.
 */
{
  const STORED_TOKEN = 'rapsheet-reference-token';
  /** The name of the security scheme in the document. */
  const SCHEME = 'token';
  /** Later events of a stream are counted, but not shown. */
  const MAX_SHOWN_CHARACTERS = 100_000;

  /** Set by the script before this one. */
  const guides = window.rapsheetGuides ?? [];

  /** @param {string} name @param {Record<string, string>} attributes */
  function element(name, attributes, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  const code = (text) => element('code', {}, text);
  const link = (href, text) => element('a', { href }, text);
  const block = (text) => element('pre', { tabindex: '0' }, code(text));

  function introduction() {
    const { origin } = location;
    return element(
      'section',
      { class: 'rapsheet-start', 'aria-labelledby': 'rapsheet-start' },
      element('h1', { id: 'rapsheet-start' }, 'Rapsheet API'),
      element('h2', {}, 'Get a token'),
      element(
        'ul',
        {},
        element(
          'li',
          {},
          'You have an account: create a token on your ',
          link('/account', 'account page'),
          '. An operator sends the link that signs you in.',
        ),
        element(
          'li',
          {},
          'You run this server: its first start wrote the token of ',
          code('admin'),
          ' to ',
          code('admin-token'),
          ' in the data folder (',
          code('RAPSHEET_DATA_DIR'),
          '). Create an account of your own, which prints its token, and log in with it:',
          block(`rapsheet account add alice --researcher\nrapsheet login --url ${origin}`),
        ),
        element(
          'li',
          {},
          'You look at a store of ',
          code('rapsheet demo'),
          ': use the token of ',
          code('explorer'),
          ', which it printed. Every example on this page succeeds with it.',
        ),
      ),
      element('h2', {}, 'Make the first call'),
      block(`curl -H "Authorization: $TOKEN" ${origin}/api/me`),
      element(
        'p',
        {},
        'Or press "Authorize" below and paste the token. This tab keeps it until it is closed. Without a token, the page uses the session of this browser if you are signed in.',
      ),
      ...guideLinks(),
    );
  }

  function guideLinks() {
    if (guides.length === 0) return [];
    const items = guides.map(({ title, path }) => element('li', {}, link(path, title)));
    return [element('h2', {}, 'Guides'), element('ul', {}, ...items)];
  }

  /** Keeps the token in the storage of the tab. Swagger UI itself would keep it in the browser. */
  const tokenOfTab = () => ({
    statePlugins: {
      auth: {
        wrapActions: {
          authorize: (authorize) => (schemes) => {
            const value = schemes[SCHEME]?.value;
            if (typeof value === 'string') sessionStorage.setItem(STORED_TOKEN, value);
            return authorize(schemes);
          },
          logout: (logout) => (names) => {
            sessionStorage.removeItem(STORED_TOKEN);
            return logout(names);
          },
        },
      },
    },
  });

  /** A bar with the number of events and a button that ends the stream. */
  function showStream(path, stop) {
    const count = element('span', {}, '0 events');
    const button = element('button', { type: 'button', class: 'btn' }, 'Stop the stream');
    button.addEventListener('click', stop);
    const status = element('span', { role: 'status' }, `Receiving ${path}: `, count);
    const bar = element('div', { class: 'rapsheet-stream' }, status, button);
    document.body.append(bar);
    return {
      show: (events) => count.replaceChildren(events === 1 ? '1 event' : `${events} events`),
      remove: () => bar.remove(),
    };
  }

  /** Reads events until the reader stops them; Swagger UI then shows what arrived. */
  async function readStream(response, stop) {
    const bar = showStream(new URL(response.url).pathname, stop);
    let text = '';
    let events = 0;
    try {
      for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
        events += part.split(/\n\n/).length - 1;
        if (text.length < MAX_SHOWN_CHARACTERS) text += part;
        bar.show(events);
      }
    } catch (error) {
      if (error.name !== 'AbortError') throw error;
    } finally {
      bar.remove();
    }
    return text;
  }

  async function fetchStoppable(url, request) {
    const stopped = new AbortController();
    const response = await fetch(url, { ...request, signal: stopped.signal });
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    if (!isStream) return response;
    const text = await readStream(response, () => stopped.abort());
    const { status, statusText, headers } = response;
    const shown = new Response(text, { status, statusText, headers });
    Object.defineProperty(shown, 'url', { value: response.url });
    return shown;
  }

  function intercept(request) {
    // A session of the browser needs the header for requests that change something.
    if (new URL(request.url, location.href).origin === location.origin)
      request.headers['X-Rapsheet-Request'] = '1';
    request.userFetch = fetchStoppable;
    return request;
  }

  const start = window.SwaggerUIBundle;
  window.SwaggerUIBundle = Object.assign((config) => {
    const ui = start({
      ...config,
      plugins: [...config.plugins, tokenOfTab],
      requestInterceptor: intercept,
      onComplete: () => {
        const token = sessionStorage.getItem(STORED_TOKEN);
        if (token !== null) ui.preauthorizeApiKey(SCHEME, token);
      },
    });
    return ui;
  }, start);

  document.getElementById('swagger-ui').before(introduction());
}
