import { useState } from 'react';
import { useMe } from '../../api/session.ts';
import type { Draft } from './draft.ts';

/** What was typed and not sent, so that going back or signing in again does not lose it. */
const drafts = new Map<string, Draft>();

interface KeptDraft {
  readonly draft: Draft;
  readonly change: (draft: Draft) => void;
  /** After it was sent. */
  readonly forget: () => void;
}

/** The draft of a report to a service, with the address and the file that the page was given. */
export function useDraft(service: string, c2: string, hash: string): KeptDraft {
  const key = JSON.stringify([useMe().id, service, c2, hash]);
  const [draft, setDraft] = useState<Draft>(
    () => drafts.get(key) ?? { c2, hash, tags: '', link: '', confidence: '' },
  );
  const change = (next: Draft) => {
    drafts.set(key, next);
    setDraft(next);
  };
  return { draft, change, forget: () => drafts.delete(key) };
}
