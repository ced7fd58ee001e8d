/**
 * The content security policy of the application: its own scripts and styles, its own server, and
 * nothing else. The hashes allow the constant style elements of react-aria.
 */
export function contentPolicy(inlineStyles: readonly string[], scripts = "'self'"): string {
  return [
    "default-src 'none'",
    `script-src ${scripts}`,
    `style-src ${["'self'", ...inlineStyles].join(' ')}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types default',
  ].join('; ');
}

/** A worker has the policy of its own response. It hashes files in WebAssembly. */
export function workerPolicy(inlineStyles: readonly string[]): string {
  return contentPolicy(inlineStyles, "'self' 'wasm-unsafe-eval'");
}
