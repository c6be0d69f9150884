/**
 * Notifications of a Linux desktop, with buttons (Desktop Notifications Specification 1.2). The bus is joined for the first one
 * and left with the last.
 */
import type { MessageBus } from 'dbus-native';
import type { SaidNotice } from './said-notice.ts';
import type { TrayAction } from './tray-view.ts';

export interface DesktopNotifier {
  /** Whether it is shown; where nobody draws it, another way is the caller's to find. */
  show(said: SaidNotice, carryOut: (action: TrayAction) => void): Promise<boolean>;
}

const name = 'org.freedesktop.Notifications';
const path = '/org/freedesktop/Notifications';
const answerWithin = 5000;
/** the click on the notification itself */
const whole = 'default';
const urgency = { normal: 1, critical: 2 };
const untilTheServerSays = -1;
const mostEarly = 100;

interface Joined {
  bus: MessageBus;
  capabilities: readonly string[];
  /** what an answer to each does, by the server's number */
  shown: Map<number, (key: string) => void>;
  told(member: string, id: number, key: string): void;
  /** what was told of a notification before the reply that says its number; others' notifications are among it */
  early: [member: string, id: number, key: string][];
}

export function desktopNotifier(
  address = process.env['DBUS_SESSION_BUS_ADDRESS'],
): DesktopNotifier {
  let joined: Promise<Joined> | null = null;

  function leave(): void {
    const leaving = joined;
    joined = null;
    leaving?.then(({ bus }) => bus.connection.end()).catch(() => {});
  }

  async function show(said: SaidNotice, carryOut: (action: TrayAction) => void): Promise<boolean> {
    if (address === undefined || address === '') return false;
    joined ??= join(address, leave);
    try {
      const { bus, capabilities, shown, told, early } = await joined;
      early.length = 0;
      const number = Number(await notify(bus, said, capabilities));
      shown.set(number, (key) => carryOut(actionOf(said, key)));
      for (const [member, id, key] of early.splice(0)) if (id === number) told(member, id, key);
      return true;
    } catch {
      leave();
      return false;
    }
  }
  return { show };
}

async function join(address: string, leave: () => void): Promise<Joined> {
  const { createClient, messageType } = await import('dbus-native');
  const bus = createClient({ busAddress: address, timeout: answerWithin, direct: true });
  const shown: Joined['shown'] = new Map();
  const early: Joined['early'] = [];
  const told: Joined['told'] = (member, id, key) => {
    if (member === 'ActionInvoked') shown.get(id)?.(key);
    if (member === 'NotificationClosed' && shown.delete(id) && shown.size === 0) leave();
  };
  bus.connection.on('error', leave);
  bus.connection.on('close', leave);
  bus.connection.on('message', ({ type, interface: from, member, body = [] }) => {
    if (type !== messageType.signal || from !== name) return;
    const [id, key] = body as [number, unknown];
    if (shown.has(id)) told(member ?? '', id, String(key));
    else if (early.length < mostEarly) early.push([member ?? '', id, String(key)]);
  });
  bus.name = await bus.invokeDbus<string>({ member: 'Hello' });
  await bus.addMatch(`type='signal',interface='${name}',path='${path}'`);
  const capabilities = await bus.invoke({
    destination: name,
    path,
    interface: name,
    member: 'GetCapabilities',
  });
  return { bus, capabilities: capabilities as string[], shown, told, early };
}

async function notify(
  bus: MessageBus,
  { title, body, buttons, isQuestion }: SaidNotice,
  capabilities: readonly string[],
): Promise<unknown> {
  const { Variant } = await import('dbus-native');
  const labels = capabilities.includes('actions')
    ? [whole, '', ...buttons.flatMap(({ label }, place) => [`${place}`, label])]
    : [];
  const text = capabilities.includes('body-markup') ? withoutMarkup(body) : body;
  const hints = { urgency: new Variant('y', isQuestion ? urgency.critical : urgency.normal) };
  return await bus.invoke({
    destination: name,
    path,
    interface: name,
    member: 'Notify',
    signature: 'susssasa{sv}i',
    body: ['Sotto', 0, '', title, text, labels, hints, untilTheServerSays],
  });
}

function actionOf({ action, buttons }: SaidNotice, key: string): TrayAction {
  return buttons[Number(key)]?.action ?? action;
}

function withoutMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
