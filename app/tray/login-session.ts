/**
 * The session of a login page: in memory, and able to reach only the service's port for this login. No name is resolved here,
 * and nothing is stored, granted or downloaded.
 */
import { app, type Session, session } from 'electron';
import type { OpenedPortal } from '../contract/system/portal.ts';

/** To be called before the application is ready. Every lookup of a name outside a proxy fails. */
export function resolveNothing(): void {
  app.commandLine.appendSwitch('host-resolver-rules', 'MAP * ~NOTFOUND, EXCLUDE 127.0.0.1');
  app.commandLine.appendSwitch('disable-quic');
  // A portal never gets the person's Kerberos or NTLM identity, whatever name it has.
  app.commandLine.appendSwitch('auth-server-allowlist', '_');
  // The tray encrypts nothing with the keyring of the person, so it has no need to open it.
  app.commandLine.appendSwitch('password-store', 'basic');
}

let made = 0;

export async function loginSession(): Promise<Session> {
  made += 1;
  const own = session.fromPartition(`login-${made}`, { cache: false });
  own.setPermissionRequestHandler((_contents, _permission, decide) => decide(false));
  own.setPermissionCheckHandler(() => false);
  own.setDevicePermissionHandler(() => false);
  own.on('will-download', (event) => event.preventDefault());
  own.webRequest.onBeforeRequest(({ url }, decide) => decide({ cancel: !isAllowed(url) }));
  return own;
}

/** Loopback, too: without this, Chromium goes there past every proxy. */
export async function leadThrough(own: Session, { proxy }: OpenedPortal): Promise<void> {
  await own.clearAuthCache();
  await own.setProxy({
    proxyRules: `http://${proxy.host}:${proxy.port}`,
    proxyBypassRules: '<-loopback>',
  });
  await own.closeAllConnections();
}

/** Clears everything that the page left behind. */
export async function forget(own: Session): Promise<void> {
  await Promise.all([own.clearStorageData(), own.clearCache(), own.clearAuthCache()]);
  await own.closeAllConnections();
}

export function isWeb(url: string): boolean {
  return /^https?:\/\//i.test(url);
}

/** Data that a page carries within itself needs no connection. */
function isAllowed(url: string): boolean {
  return isWeb(url) || /^(data|blob|about):/i.test(url);
}
