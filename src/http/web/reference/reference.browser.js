/**
 * Runs in the browser, in the head of the reference page: the theme of the application, the address
 * of this server, a language for all examples, search and copying. The page is whole without it.
 */
{
  const root = document.documentElement;

  /** Storage may be forbidden; then a choice lasts as long as the page. */
  function stored(key) {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  }

  function store(key, value) {
    try {
      localStorage.setItem(key, value);
    } catch {
      // See above.
    }
  }

  const theme = stored('rapsheet.theme');
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;

  const LANGUAGE = 'rapsheet.reference.language';
  const languages = ['curl', 'Python', 'TypeScript'];
  const language = languages.find((one) => one === stored(LANGUAGE)) ?? languages[0];
  root.dataset.language = language;

  function chooseLanguages() {
    for (const choice of document.querySelectorAll('input[name="language"]')) {
      choice.checked = choice.value === language;
      choice.addEventListener('change', () => {
        root.dataset.language = choice.value;
        store(LANGUAGE, choice.value);
      });
    }
  }

  /** Browsers open what an anchor is in; some only since recently. */
  function openTarget() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const closed = target?.closest('details:not([open])');
    if (!closed) return;
    closed.open = true;
    target.scrollIntoView();
  }

  function addCopying() {
    for (const sample of document.querySelectorAll('.sample')) {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'copy';
      button.textContent = 'Copy';
      button.addEventListener('click', async () => {
        await navigator.clipboard.writeText(sample.querySelector('code').textContent);
        button.textContent = 'Copied';
        setTimeout(() => {
          button.textContent = 'Copy';
        }, 2000);
      });
      sample.append(button);
    }
  }

  /** What an operation or type is found by: names, path, summary and description, but no examples. */
  function searchable(details) {
    const id = details.querySelector('[id]')?.id ?? '';
    const texts = details.querySelectorAll(
      ':scope > summary, :scope > div > p, :scope > div > dl > dt',
    );
    return [id, ...Array.from(texts, ({ textContent }) => textContent)].join(' ').toLowerCase();
  }

  function addSearch() {
    const input = document.getElementById('search');
    const found = document.getElementById('found');
    const entries = Array.from(document.querySelectorAll('main details'), (details) => ({
      details,
      text: searchable(details),
      link: document.querySelector(
        `nav a[href="#${CSS.escape(details.querySelector('[id]').id)}"]`,
      ),
    }));
    const parts = [...document.querySelectorAll('main > section, nav .group')];

    function show({ details, link }, isShown) {
      details.hidden = !isShown;
      if (link) link.parentElement.hidden = !isShown;
    }

    function filter() {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      const matching = entries.filter(({ text }) => words.every((word) => text.includes(word)));
      for (const entry of entries) show(entry, matching.includes(entry));
      for (const part of parts)
        part.hidden =
          words.length > 0 && part.querySelector(':is(details, li):not([hidden])') === null;
      found.textContent = words.length === 0 ? '' : `Found: ${matching.length}`;
    }

    input.addEventListener('input', filter);
    input.form.addEventListener('submit', (event) => {
      event.preventDefault();
      entries
        .find(({ details }) => !details.hidden)
        ?.details.querySelector('summary')
        .focus();
    });
    document.addEventListener('keydown', (event) => {
      const isTyping = event.target.closest('input[type="search"]') !== null;
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      input.focus();
    });
    input.form.hidden = false;
  }

  addEventListener('hashchange', openTarget);
  document.addEventListener('DOMContentLoaded', () => {
    for (const origin of document.querySelectorAll('.origin')) origin.textContent = location.origin;
    if (matchMedia('(width < 900px)').matches)
      document.querySelector('.contents').removeAttribute('open');
    chooseLanguages();
    addSearch();
    addCopying();
    openTarget();
  });
}
