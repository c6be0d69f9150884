/** Notifications on a real bus, without Electron: with a desktop that shows them, and in each case in which none does. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { busAddon, TestBus, whyNoBus } from '../../app/service/network/bus-fixture.ts';
import { desktopNotifier } from '../../app/tray/desktop-notifier.ts';
import type { SaidNotice } from '../../app/tray/said-notice.ts';
import type { TrayAction } from '../../app/tray/tray-view.ts';
import { NotificationServer } from './notification-server.ts';

const whole = { kind: 'open-window' } as unknown as TrayAction;
const button = { kind: 'quit' } as unknown as TrayAction;
const said = {
  title: 'Your choice',
  body: 'a <b> & c',
  action: whole,
  buttons: [{ label: 'Stop', action: button }],
  isQuestion: true,
} as SaidNotice;

describe('notifications of the desktop', () => {
  let daemon: TestBus;

  beforeEach(async (context) => {
    if (whyNoBus !== null) context.skip(whyNoBus);
    daemon = new TestBus();
    await daemon.start();
  });

  afterEach(async () => {
    await daemon?.remove();
  });

  test('a button works, and markup is shown as text', async () => {
    const server = await NotificationServer.open(await daemon.connect());
    const carriedOut = Promise.withResolvers<TrayAction>();
    const notifier = desktopNotifier(busAddon, daemon.address);
    expect(await notifier.show(said, carriedOut.resolve)).toBe(true);
    const shown = await server.shown('Your choice');
    expect(shown.body).toBe('a &lt;b&gt; &amp; c');
    server.press(shown, 'Stop');
    expect(await carriedOut.promise).toBe(button);
    // the notifier left the bus with the last notification, and joins it again
    expect(await notifier.show({ ...said, title: 'Another' }, () => {})).toBe(true);
    await server.shown('Another');
  });

  test('reports that it can show nothing without addon, address, bus or service, and with wrong replies', async () => {
    const show = (load: Parameters<typeof desktopNotifier>[0], address: string | undefined) =>
      desktopNotifier(load, address).show(said, () => {});
    expect(await show(() => null, daemon.address)).toBe(false);
    expect(await show(busAddon, '')).toBe(false);
    expect(await show(busAddon, `${daemon.address}-nowhere`)).toBe(false);
    expect(await show(busAddon, daemon.address)).toBe(false);
    const peer = await daemon.connect();
    const name = 'org.freedesktop.Notifications';
    peer.method('/org/freedesktop/Notifications', name, 'GetCapabilities', () => ['u', [7]]);
    await peer.own(name);
    expect(await show(busAddon, daemon.address)).toBe(false);
  });

  test('it joins a bus that died again when it is back', async () => {
    await NotificationServer.open(await daemon.connect());
    const notifier = desktopNotifier(busAddon, daemon.address);
    expect(await notifier.show(said, () => {})).toBe(true);
    await daemon.endServices();
    await daemon.stop();
    await daemon.start();
    await NotificationServer.open(await daemon.connect());
    await expect.poll(() => notifier.show(said, () => {})).toBe(true);
  });
});
