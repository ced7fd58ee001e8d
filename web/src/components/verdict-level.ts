/** How sure it is that a file or an address is bad. */
export type VerdictLevel = 'certain' | 'likely' | 'suspicious' | 'nothing';
