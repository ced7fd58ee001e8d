/** The slug of the built-in service. */
export const UNCLAIMED = 'unclaimed';

export const UNCLAIMED_MEANING = 'Addresses that no service has declared';

/** All but the built-in one. */
export function addedServices<Service extends { readonly slug: string }>(
  services: readonly Service[],
): readonly Service[] {
  return services.filter(({ slug }) => slug !== UNCLAIMED);
}
