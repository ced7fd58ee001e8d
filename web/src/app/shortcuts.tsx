import { lazy, Suspense, useEffect, useState } from 'react';
import { isTyping } from '../components/is-typing.ts';
import { focusSearch } from '../components/search/search-box.tsx';

const ShortcutsDialog = lazy(() => import('./shortcuts-dialog.tsx'));

const SHOW = 'rapsheet:shortcuts';

/** Opens the dialog, as the key does. */
export function showShortcuts(): void {
  dispatchEvent(new Event(SHOW));
}

/** `?` shows the shortcuts; `/` goes to the search. */
export function Shortcuts() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event)) return;
      if (event.key === '?') setOpen(true);
      else if (event.key === '/') focusSearch();
      else return;
      event.preventDefault();
    };
    const open = () => setOpen(true);
    addEventListener('keydown', onKey);
    addEventListener(SHOW, open);
    return () => {
      removeEventListener('keydown', onKey);
      removeEventListener(SHOW, open);
    };
  }, []);
  if (!isOpen) return null;
  return (
    <Suspense fallback={null}>
      <ShortcutsDialog onClose={() => setOpen(false)} />
    </Suspense>
  );
}
