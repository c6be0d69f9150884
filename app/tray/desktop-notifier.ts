/**
 * Notifications of a Linux desktop, with buttons (Desktop Notifications Specification 1.2). The bus is joined for the first one
 * and left after the last.
 */
import { type BusAddon, type BusConnection, type BusSignal, joinBus } from '../bus-connection.ts';
import type { SaidNotice } from './said-notice.ts';
import type { TrayAction } from './tray-view.ts';

export interface DesktopNotifier {
  /** Whether it is shown; where no desktop draws it, the caller shows it in another way. */
  show(said: SaidNotice, carryOut: (action: TrayAction) => void): Promise<boolean>;
}

const name = 'org.freedesktop.Notifications';
const path = '/org/freedesktop/Notifications';
/** Many desktops start their server with the first notification. */
const server = { destination: name, path, interface: name, mayStart: true };
const answerWithin = 5000;
/** the click on the notification itself */
const whole = 'default';
const urgency = { normal: 1, critical: 2 };
const untilTheServerSays = -1;
const mostEarly = 100;

interface Joined {
  bus: BusConnection;
  capabilities: readonly string[];
  /** by the server's number, the function that handles an answer */
  shown: Map<number, (key: string) => void>;
  /** notifications without a reply from the server yet: the bus is not left meanwhile */
  underWay: Set<SaidNotice>;
  told(member: string, id: number, key: string): void;
  /** signals about a notification that came before the reply with its number; signals of other programs are among them */
  early: [member: string, id: number, key: string][];
}

/** `loadAddon` returns null where there is no addon. */
export function desktopNotifier(
  loadAddon: () => BusAddon | null,
  address = process.env['DBUS_SESSION_BUS_ADDRESS'],
): DesktopNotifier {
  let joined: Promise<Joined> | null = null;

  function leave(): void {
    const leaving = joined;
    joined = null;
    leaving?.then(({ bus }) => bus.close()).catch(() => {});
  }

  async function show(said: SaidNotice, carryOut: (action: TrayAction) => void): Promise<boolean> {
    if (address === undefined || address === '') return false;
    try {
      joined ??= join(loadAddon(), address, leave);
      const { bus, capabilities, shown, underWay, told, early } = await joined;
      early.length = 0;
      underWay.add(said);
      const number = Number(await notify(bus, said, capabilities));
      underWay.delete(said);
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

async function join(addon: BusAddon | null, address: string, leave: () => void): Promise<Joined> {
  if (addon === null) throw new Error('there is no addon to join the bus with');
  const shown: Joined['shown'] = new Map();
  const underWay: Joined['underWay'] = new Set();
  const early: Joined['early'] = [];
  const told: Joined['told'] = (member, id, key) => {
    if (member === 'ActionInvoked') shown.get(id)?.(key);
    if (member !== 'NotificationClosed' || !shown.delete(id)) return;
    if (shown.size === 0 && underWay.size === 0) leave();
  };
  function onSignal({ interface: from, member, body }: BusSignal): void {
    if (from !== name) return;
    const [id, key] = body as [number, unknown];
    if (shown.has(id)) told(member, id, String(key));
    else if (early.length < mostEarly) early.push([member, id, String(key)]);
  }
  const rules = [`type='signal',interface='${name}',path='${path}'`];
  const bus = await joinBus(addon, address, answerWithin, { rules, onSignal, onGone: leave });
  const [capabilities] = await bus.call({ ...server, member: 'GetCapabilities' }, answerWithin);
  return { bus, capabilities: capabilities as string[], shown, underWay, told, early };
}

async function notify(
  bus: BusConnection,
  { title, body, buttons, isQuestion }: SaidNotice,
  capabilities: readonly string[],
): Promise<unknown> {
  const labels = capabilities.includes('actions')
    ? [whole, '', ...buttons.flatMap(({ label }, place) => [`${place}`, label])]
    : [];
  const text = capabilities.includes('body-markup') ? withoutMarkup(body) : body;
  const hints = { urgency: ['y', isQuestion ? urgency.critical : urgency.normal] };
  const call = {
    ...server,
    member: 'Notify',
    signature: 'susssasa{sv}i',
    body: ['Sotto', 0, '', title, text, labels, hints, untilTheServerSays],
  };
  return (await bus.call(call, answerWithin))[0];
}

function actionOf({ action, buttons }: SaidNotice, key: string): TrayAction {
  return buttons[Number(key)]?.action ?? action;
}

function withoutMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
