import { useSyncExternalStore } from 'react';

/** The widths at which tables show more columns; `design/tokens.css` lists all widths. */
const FROM = {
  medium: matchMedia('(width >= 720px)'),
  wide: matchMedia('(width >= 1100px)'),
} as const;

export type ScreenWidth = 'narrow' | keyof typeof FROM;

export function useScreenWidth(): ScreenWidth {
  return useSyncExternalStore(subscribe, read);
}

function subscribe(listener: () => void): () => void {
  for (const query of Object.values(FROM)) query.addEventListener('change', listener);
  return () => {
    for (const query of Object.values(FROM)) query.removeEventListener('change', listener);
  };
}

function read(): ScreenWidth {
  if (FROM.wide.matches) return 'wide';
  return FROM.medium.matches ? 'medium' : 'narrow';
}
