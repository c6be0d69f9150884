/** A login page, and how to reach it. */
import type { OpenedPortal, PortalEvidence, PortalStatus } from '../../contract/system/portal.ts';
import { safe } from '../../contract/text/visible-text.ts';
import { dayAndMinute } from '../terminal/clock.ts';

const known: Readonly<Record<PortalEvidence, string>> = {
  api: 'the network says so itself (RFC 8908)',
  'network-manager': 'NetworkManager says so',
  address: 'somebody answers at an address that nobody has',
  names: 'most pages of known text hold another one',
};

export function renderPortal(portal: PortalStatus): string[] {
  const { site, url, evidence, since, skipped, login } = portal;
  const where = site === null ? 'a page in the place of others' : safe(site);
  const what = skipped
    ? `A login page that was set aside until the network changes: ${where}`
    : `This network wants you to log in: ${where}`;
  return [
    `${what}, since ${dayAndMinute(since)}`,
    `  known because ${known[evidence]}`,
    `  begins at ${safe(url)}`,
    ...(login === null
      ? []
      : [`  open until ${dayAndMinute(login.until)}, by ${safe(login.who)} in a ${login.by}`]),
  ];
}

export function renderOpenedPortal({ url, proxy, until }: OpenedPortal): string[] {
  const { host, port, user, password } = proxy;
  return [
    `Open until ${dayAndMinute(until)}: ${safe(url)}`,
    `  by SOCKS 5 or HTTP at ${host}:${port}, user ${user}, password ${password}`,
  ];
}
