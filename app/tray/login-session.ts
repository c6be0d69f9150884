/**
 * Where a login page lives: a session of its own, in memory, that reaches nothing but the service's port for this login. No
 * name is resolved here, nothing is stored, granted or downloaded.
 */
import { app, type Session, session } from 'electron';
import type { OpenedPortal } from '../contract/system/portal.ts';

/** Before the application is ready. Whatever asks for a name outside a proxy is told there is none. */
export function resolveNothing(): void {
  app.commandLine.appendSwitch('host-resolver-rules', 'MAP * ~NOTFOUND, EXCLUDE 127.0.0.1');
  app.commandLine.appendSwitch('disable-quic');
  // A portal that asks for the person's Kerberos or NTLM identity is given none, whatever it calls itself.
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

/** What the page left behind. */
export async function forget(own: Session): Promise<void> {
  await Promise.all([own.clearStorageData(), own.clearCache(), own.clearAuthCache()]);
  await own.closeAllConnections();
}

export function isWeb(url: string): boolean {
  return /^https?:\/\//i.test(url);
}

/** What a page carries within itself goes nowhere. */
function isAllowed(url: string): boolean {
  return isWeb(url) || /^(data|blob|about):/i.test(url);
}
