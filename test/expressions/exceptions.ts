/** Expressions that the checker cannot decide, with the reason why their time is limited. */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
  '/(.)\\1+/g': 'runs are disjoint; the two halves of a fuzzy hash have at most 64 characters each',
  '/(.)\\1{3,}/g': 'runs are disjoint; half of a fuzzy hash has at most 64 characters',
  '/\\[:\\](?=\\d+$)/':
    'digits are scanned once for each "[:]" before them, of at most 1024 characters',
  '/(?<=[^.])\\.(?=:\\d+$)/':
    'digits are scanned once for each ".:" before them, of at most 1024 characters',
  '/(?![\\u200c\\u200d])\\p{Default_Ignorable_Code_Point}|(?:^|\\.)\\p{Nd}+$/u':
    'digits are scanned once for each dot before them, of at most 1024 characters',
};
