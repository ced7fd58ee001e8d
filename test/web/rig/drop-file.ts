import type { Locator, Page } from 'playwright-core';

const NEW_TRANSFER = `({ name, bytes }) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([Uint8Array.from(atob(bytes), (one) => one.charCodeAt(0))], name));
  return transfer;
}`;

/** Drops a file on an element, as from the desktop. */
export async function dropFile(page: Page, target: Locator, name: string, content: Buffer) {
  const argument = JSON.stringify({ name, bytes: content.toString('base64') });
  const dataTransfer = await page.evaluateHandle(`(${NEW_TRANSFER})(${argument})`);
  await target.dispatchEvent('dragover', { dataTransfer });
  await target.dispatchEvent('drop', { dataTransfer });
}
