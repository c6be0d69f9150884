/**
 * Shows a notice by the means of the system: with buttons where it draws them, else a click opens the place where it can be
 * answered.
 */
import { createRequire } from 'node:module';
import { Notification } from 'electron';
import type { BusAddon } from '../bus-connection.ts';
import { type DesktopNotifier, desktopNotifier } from './desktop-notifier.ts';
import { places } from './places.ts';
import type { SaidNotice } from './said-notice.ts';
import type { TrayAction } from './tray-view.ts';

/** Those on screen: a notification without a reference may be collected, and its click would be lost. */
const onScreen = new Set<Notification>();
/** Electron's notifications have no buttons on Linux. */
const desktop: DesktopNotifier | null =
  process.platform === 'linux' ? desktopNotifier(loadAddon) : null;

export async function showNotice(
  said: SaidNotice,
  carryOut: (action: TrayAction) => void,
): Promise<void> {
  if ((await desktop?.show(said, carryOut)) === true || !Notification.isSupported()) return;
  const { title, body, action, buttons } = said;
  const actions = buttons.map(({ label }) => ({ type: 'button' as const, text: label }));
  const notification = new Notification({ title, body, actions });
  onScreen.add(notification);
  notification.on('click', () => carryOut(action));
  // before Electron 40 the number came as an argument of its own
  notification.on('action', (event, index?: number) => {
    const button = buttons[index ?? event.actionIndex];
    if (button !== undefined) carryOut(button.action);
  });
  notification.on('close', () => onScreen.delete(notification));
  notification.show();
}

/** Loaded with the first notification, because many a tray never shows one. */
function loadAddon(): BusAddon | null {
  try {
    return createRequire(places.addon)(places.addon) as BusAddon;
  } catch {
    return null;
  }
}
