import type { Page } from 'playwright-core';

/**
 * Signs in with the form, as a person does: the application remembers that somebody is signed in,
 * so a session that it did not start itself is not enough.
 */
export async function signIn(page: Page, url: string, token: string): Promise<void> {
  await page.goto(`${url}/sign-in`);
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: /^Sign in/ }).click();
  await page.waitForURL((reached) => !reached.pathname.startsWith('/sign-in'));
}
