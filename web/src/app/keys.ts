const SEARCH_FIELD_ID = 'search';

export function focusSearch(): void {
  const field = document.getElementById(SEARCH_FIELD_ID);
  if (field instanceof HTMLInputElement) field.select();
  field?.focus();
}
