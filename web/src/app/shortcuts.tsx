import { lazy, Suspense, useEffect, useState } from 'react';
import { isTyping } from '../components/is-typing.ts';
import { focusSearch } from './keys.ts';

const ShortcutsDialog = lazy(() => import('./shortcuts-dialog.tsx'));

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
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  if (!isOpen) return null;
  return (
    <Suspense fallback={null}>
      <ShortcutsDialog onClose={() => setOpen(false)} />
    </Suspense>
  );
}
