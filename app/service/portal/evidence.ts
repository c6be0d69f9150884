/** Whether what was seen of a network means that it wants a login, and where that begins. Pure. */
import type { PortalEvidence } from '../../contract/system/portal.ts';

/** A response to the request for a page. */
export interface Page {
  status: number;
  /** the absolute http or https address to which it redirects; null: none */
  leadsTo: string | null;
  body: string;
}

export interface NamedPage {
  url: string;
  /** the text of the genuine page */
  text: string;
  /** null: no response */
  page: Page | null;
}

export interface Readings {
  /** RFC 8908; null: there is none, or none that is trusted */
  api: { captive: boolean; url: string | null } | null;
  /** NetworkManager's property Connectivity */
  managerSaysPortal: boolean;
  /** the response at an address that no host has, and the URL that was tried */
  address: { url: string; page: Page | null };
  names: readonly NamedPage[];
}

export interface Verdict {
  evidence: PortalEvidence;
  /** the host that answers for the login; null: the network answered in the place of other hosts */
  site: string | null;
  url: string;
}

/** Null: no evidence of a login. */
export function judge(readings: Readings): Verdict | null {
  const { api, managerSaysPortal, address, names } = readings;
  if (api !== null)
    return api.captive ? verdict('api', api.url ?? leadOf(readings), startOf(readings)) : null;
  if (managerSaysPortal) return verdict('network-manager', leadOf(readings), startOf(readings));
  if (isLogin(address.page)) return verdict('address', address.page.leadsTo, address.url);
  const strange = names.filter(isStrange);
  const [first] = strange;
  if (first === undefined || strange.length * 2 <= names.length) return null;
  const leading = strange.find(({ page }) => page?.leadsTo);
  return verdict('names', leading?.page?.leadsTo ?? null, first.url);
}

function verdict(evidence: PortalEvidence, leadsTo: string | null, instead: string): Verdict {
  if (leadsTo === null) return { evidence, site: null, url: instead };
  return { evidence, site: hostOf(leadsTo), url: leadsTo };
}

/** Where the network redirected a request for something else. */
function leadOf({ address, names }: Readings): string | null {
  const leads = [address.page, ...names.filter(isStrange).map(({ page }) => page)];
  return leads.find((page) => page?.leadsTo)?.leadsTo ?? null;
}

/** The page to open first: one for which the network, and not the page's own host, is expected to respond with the login. */
function startOf({ address, names }: Readings): string {
  return isLogin(address.page) ? address.url : (names[0]?.url ?? address.url);
}

function isStrange({ page, text }: NamedPage): boolean {
  return isLogin(page) && (page.status !== 200 || page.body.trim() !== text.trim());
}

/** False for a page that is no login: the error of a proxy, or of a server that has no such page. RFC 6585, section 6: 511. */
function isLogin(page: Page | null): page is Page {
  if (page === null) return false;
  return page.status === 511 || (page.status >= 200 && page.status < 400);
}

/** As a person would write it: lower case, an address without brackets. */
export function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '');
}
