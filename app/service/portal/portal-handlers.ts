/** The methods `portal.*`: docs/design/portals.md. */
import type { Result } from '../../contract/errors.ts';
import type { ServiceHandlers, ServiceSession } from '../../contract/service-api.ts';
import type { Portal } from './portal.ts';

type PortalMethod = Extract<keyof ServiceHandlers, `portal.${string}`>;

export function createPortalHandlers(
  portal: Portal,
  whoIs: (session: ServiceSession) => string,
  refuseSite: (session: ServiceSession) => Result<never> | null,
): Pick<ServiceHandlers, PortalMethod> {
  return {
    'portal.check': () => portal.check(),
    'portal.open': (_params, session) => portal.open(whoIs(session)),
    'portal.close': () => portal.close(),
    'portal.skip': () => portal.skip(),
    'portal.allowSite': ({ site, minutes }, session) =>
      refuseSite(session) ?? portal.allowSite(site, minutes, whoIs(session)),
  };
}
