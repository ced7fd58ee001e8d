interface TrustedTypesFactory {
  createPolicy(name: string, rules: Readonly<Record<string, (text: string) => string>>): unknown;
}

/**
 * The only policy of the application. React clears nodes with an empty string, and workers are
 * started by their URL; nothing else may become markup or script.
 */
export function installTrustedTypes(): void {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypesFactory };
  trustedTypes?.createPolicy('default', {
    createHTML: (text) => {
      if (text === '') return text;
      throw new TypeError('Text must not become markup.');
    },
    createScriptURL: (text) => {
      const { origin, pathname } = new URL(text, location.href);
      if (origin === location.origin && pathname.startsWith('/assets/')) return text;
      throw new TypeError('Only the scripts of the application may run.');
    },
  });
}
