/**
 * Objects of the demo store that the examples of the OpenAPI document name. `rapsheet demo` creates
 * them with these ids in every store, so that each example succeeds there. An operation that
 * removes its object has one of its own, so that the examples do not depend on their order.
 */
export const EXAMPLE_SERVICE = 'ply';

/** Has every role and owns the feed, so that one token suffices for all examples. */
export const EXAMPLE_ACCOUNT = 'explorer';

export const EXAMPLE_C2 = 'tunnel.ply.example:4444';

/** The EICAR test file, whose analysis the demo imports. */
export const EICAR = '275a021bbfb6489e54d471899f7db9d1663fc695ec2fe2a2c4538aabf651fd0f';

/** Files that the demo uploads: one that was analysed, and one whose analysis failed. */
export const UPLOADED_FILE = '428049b884681e55edb523a7676673f2e42f05d3615173214e24fbdf89de5781';
export const FAILED_FILE = '355c1cdd9597ed70e8016d2a460bfaac70859358de5b5289ad880d748c15af19';
/** Imported by the demo: `hello.txt`. */
export const PURGED_FILE = '853ff93762a06ddbf722c4ebe9ddd66d8f63ddaea97f521c3ecc20da7c976020';

export const EXAMPLE_IDS = {
  report: '0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d80',
  deletedReport: '0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d81',
  purgedReport: '0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d82',
  ownToken: '0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d83',
  accountToken: '0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d84',
  webhook: '0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d85',
  deletedWebhook: '0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d86',
  delivery: '0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d87',
} as const;
