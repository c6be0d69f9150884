/** The health issues of login pages, by subject. Pure. */
import type { PortalStatus } from '../../contract/system/portal.ts';

export function portalHealth(portal: PortalStatus | null): Map<string, string> {
  if (portal === null || portal.skipped || portal.login !== null) return new Map();
  const where = portal.site === null ? '' : `It is shown by ${portal.site}.`;
  return new Map([['', where]]);
}
