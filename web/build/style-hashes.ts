import { createHash } from 'node:crypto';
import type { Plugin } from 'vite';

/** The hashes of all style elements that a script of the bundle creates. */
export const inlineStyles = new Set<string>();

/**
 * react-aria creates two style elements with constant texts. The content security policy allows
 * only these, by hash. A style element whose text is not constant fails the build: the browser
 * would refuse it.
 */
export function styleHashes(): Plugin {
  return {
    name: 'style-hashes',
    apply: 'build',
    transform(code, id) {
      if (!id.includes('/react-aria')) return;
      for (const [start] of code.matchAll(/createElement\(['"]style['"]\)[\s\S]{0,2000}/g))
        inlineStyles.add(hashOf(textOf(start, code, id)));
    },
  };
}

function textOf(start: string, code: string, id: string): string {
  const template = /\.textContent\s*=\s*`([^`]*)`\.trim\(\)/.exec(start)?.[1];
  if (template === undefined) throw new Error(`${id} creates a style element of another form`);
  return template
    .replace(/\$\{([\w$]+)\}/g, (_, name: string) => constantOf(name, code, id))
    .trim();
}

function constantOf(name: string, code: string, id: string): string {
  const at = code.indexOf(`const ${name} = `);
  const value = at < 0 ? undefined : /^[^=]+= ['"]([^'"]*)['"]/.exec(code.slice(at))?.[1];
  if (value === undefined) throw new Error(`${id} uses ${name} in a style element: not a constant`);
  return value;
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
