/**
 * Connects the page with the service, by a connection of its own, which ends with the window, so that the page's subscriptions
 * end, too. Each message is checked for its sender and against the contract.
 */
import { type IpcMainEvent, type IpcMainInvokeEvent, ipcMain, type WebContents } from 'electron';
import { fail, type Result, succeed } from '../contract/errors.ts';
import {
  type MethodName,
  type NotificationName,
  type Params,
  serviceApi,
} from '../contract/service-api.ts';
import type { OpenedPortal } from '../contract/system/portal.ts';
import { channels } from '../preload/channels.ts';
import type { ConnectedService } from '../service-client/service-client.ts';
import type { LoginWindow } from './login-window.ts';
import { PageExports } from './page-exports.ts';
import type { PageWindow } from './page-window.ts';

type Connect = () => Promise<Result<ConnectedService>>;

export function openPageChannel(window: PageWindow, login: LoginWindow, connect: Connect): void {
  const connections = new WeakMap<WebContents, ConnectedService>();
  const exports = new PageExports<WebContents>(connect);
  const close = (contents: WebContents) => {
    exports.stop(contents);
    const former = connections.get(contents);
    connections.delete(contents);
    former?.close();
  };

  ipcMain.handle(channels.connect, async (event) => {
    const contents = event.sender;
    if (!isPage(window, event)) return stranger;
    close(contents);
    const connected = await connect();
    if (!connected.ok) return connected;
    if (contents.isDestroyed()) {
      connected.value.close();
      return stranger;
    }
    // The page may have begun anew meanwhile, and only its latest connection may speak to it.
    close(contents);
    const service = connected.value;
    connections.set(contents, service);
    passOn(service, (channel, ...words) => {
      const isLatest = connections.get(contents) === service;
      if (isLatest && !contents.isDestroyed()) contents.send(channel, ...words);
    });
    contents.once('destroyed', () => close(contents));
    return { ok: true, value: service.hello };
  });

  ipcMain.handle(channels.call, async (event, name: unknown, params: unknown) => {
    if (!isPage(window, event)) return stranger;
    const service = connections.get(event.sender);
    if (service === undefined) return notConnected;
    if (!isMethod(name)) return fail('unknown-method', `no method ${String(name)}`, 'update Sotto');
    const checked = checkParams(name, params);
    if (!checked.ok) return checked;
    return name === 'portal.open'
      ? await openLogin(login)
      : await service.call(name, checked.value as never);
  });

  ipcMain.handle(channels.pour, async (event, params: unknown) => {
    const contents = event.sender;
    if (!isPage(window, event)) return stranger;
    if (!connections.has(contents)) return notConnected;
    const checked = checkParams('log.pour', params);
    if (!checked.ok) return checked;
    const begun = await exports.begin(contents, checked.value);
    if (!connections.has(contents)) exports.stop(contents);
    return begun;
  });

  ipcMain.handle(channels.poured, async (event) =>
    isPage(window, event) ? await exports.next(event.sender) : null,
  );

  ipcMain.on(channels.stopPouring, (event) => {
    if (isPage(window, event)) exports.stop(event.sender);
  });

  ipcMain.on(channels.disconnect, (event) => {
    if (isPage(window, event)) close(event.sender);
  });
}

/** The login has a window of its own; the page must not learn the port's password. */
async function openLogin(login: LoginWindow): Promise<Result<OpenedPortal>> {
  const opened = await login.open();
  if (!opened.ok) return opened;
  return succeed({ ...opened.value, proxy: { ...opened.value.proxy, user: '', password: '' } });
}

const notConnected = fail('connection-lost', 'no connection', 'connect first');
export const stranger = fail('forbidden', 'only the page may ask', 'this is a defect: report it');

/** Its own top frame, at its own address. */
export function isPage(window: PageWindow, event: IpcMainEvent | IpcMainInvokeEvent): boolean {
  const { sender, senderFrame } = event;
  return (
    senderFrame !== null &&
    senderFrame === sender.mainFrame &&
    window.isOurs(sender, senderFrame.url)
  );
}

/** The methods about the connection itself are not for the page. */
function isMethod(name: unknown): name is Exclude<MethodName, 'hello' | 'log.pour'> {
  if (typeof name !== 'string' || name === 'hello' || name === 'log.pour') return false;
  return Object.hasOwn(serviceApi.methods, name);
}

function checkParams<Name extends MethodName>(name: Name, params: unknown): Result<Params<Name>> {
  const checked = serviceApi.methods[name].params.safeParse(params);
  if (checked.success) return succeed(checked.data as Params<Name>);
  return fail('params-invalid', checked.error.message, 'this is a defect: report it', name);
}

function passOn(
  service: ConnectedService,
  send: (channel: string, ...words: unknown[]) => void,
): void {
  for (const name of Object.keys(serviceApi.notifications) as NotificationName[])
    service.on(name, (payload) => send(channels.told, name, payload));
  service.onClose(() => send(channels.closed));
}
