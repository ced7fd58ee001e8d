/** Whether the key belongs to a field, a menu or the browser. */
export function isTyping(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return true;
  const { target } = event;
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.closest(
        'input:not([type="checkbox"]), textarea, select, [role="menu"], [role="listbox"], [role="dialog"], [role="alertdialog"]',
      ) !== null)
  );
}
