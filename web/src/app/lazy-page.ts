import { lazyRouteComponent } from '@tanstack/react-router';

export const NOT_ARRIVED = 'The script of the page did not arrive';

/**
 * A page whose script is loaded when it is opened. If the script does not arrive, the error gets
 * another text: by that of the browser the router would reload, and the reader would leave the
 * application while the server is away.
 */
export function lazyPage<Module extends Record<string, unknown>, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
) {
  const loadOrExplain = () =>
    load().catch((cause: unknown) => {
      throw new Error(NOT_ARRIVED, { cause });
    });
  return lazyRouteComponent(loadOrExplain, name);
}
