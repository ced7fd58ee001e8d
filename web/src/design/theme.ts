/** What the reader chose; `system` follows the setting of the device. */
export type Theme = 'system' | 'light' | 'dark';

export const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

const KEY = 'rapsheet.theme';
const dark = matchMedia('(prefers-color-scheme: dark)');

export function chosenTheme(): Theme {
  const stored = readStored();
  return THEMES.find((theme) => theme === stored) ?? 'system';
}

export function chooseTheme(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Without storage the choice lasts as long as the tab.
  }
  apply(theme);
}

/** Sets the theme before the first paint, and follows the device and other tabs. */
export function followTheme(): void {
  apply(chosenTheme());
  dark.addEventListener('change', () => apply(chosenTheme()));
  addEventListener('storage', ({ key }) => {
    if (key === KEY) apply(chosenTheme());
  });
}

function apply(theme: Theme): void {
  const isDark = theme === 'dark' || (theme === 'system' && dark.matches);
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
  dispatchEvent(new Event('themechange'));
}

function readStored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}
