/**
 * Remembers in this browser who is signed in. The cookie is invisible to scripts; without
 * this flag, every visit without an account would send a request that is refused. Other
 * tabs receive changes through the `storage` event.
 */
const KEY = 'rapsheet.signed-in';

export function mayBeSignedIn(): boolean {
  try {
    return localStorage.getItem(KEY) !== null;
  } catch {
    return true;
  }
}

export function noteSignedIn(accountId: string): void {
  try {
    localStorage.setItem(KEY, accountId);
  } catch {
    // Without storage the server is asked each time.
  }
}

export function noteSignedOut(): void {
  try {
    localStorage.removeItem(KEY);
  } catch {
    // As above.
  }
}

/** Called when another tab signs in or out. */
export function whenSignedInElsewhere(react: () => void): void {
  addEventListener('storage', ({ key }) => {
    if (key === KEY || key === null) react();
  });
}
