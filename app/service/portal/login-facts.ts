/** The facts of an open login: for protection, which permits it, for the status, and for the client that opened it. Pure. */
import type { OpenedPortal } from '../../contract/system/portal.ts';
import type { LoginFacts } from '../protection/portal-facts.ts';
import { hostOf } from './evidence.ts';
import type { Login } from './login.ts';

/** A page at an address, in a browser, needs no query. */
export function needsPermission({ by, site }: Pick<Login, 'by' | 'site'>): boolean {
  return by === 'window' || site !== '';
}

/** Null: it needs no permission. */
export function loginFacts(
  login: Login,
  { id: network, label: networkLabel }: { id: string; label: string },
): LoginFacts | null {
  if (!needsPermission(login)) return null;
  const { site, by, url, who, until, evidence } = login;
  const where = by === 'browser' ? `${site}, in a browser` : hostOf(url);
  const reason = `login page of ${where} (evidence: ${evidence})`;
  return { network, networkLabel, site, reason, who, until };
}

export function openedOf(
  { url, until }: Pick<Login, 'url' | 'until'>,
  port: NonNullable<Login['port']>,
): OpenedPortal {
  const { host, port: number, user, password } = port;
  return { url, proxy: { host, port: number, user, password }, until };
}
