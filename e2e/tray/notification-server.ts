/** The desktop's notifications (org.freedesktop.Notifications): what is shown, and a person's click on a button of it. */
import type { BusPeer } from '../../app/service/network/bus-peer-fixture.ts';
import { eventually } from '../rig/eventually.ts';

export interface Shown {
  id: number;
  title: string;
  body: string;
  /** label by key; the key "default" is a click on all of it */
  buttons: Record<string, string>;
}

const name = 'org.freedesktop.Notifications';
const path = '/org/freedesktop/Notifications';
const personClosed = 2;

export class NotificationServer {
  readonly #shown: Shown[] = [];
  readonly #bus: BusPeer;

  static async open(bus: BusPeer): Promise<NotificationServer> {
    const server = new NotificationServer(bus);
    await bus.own(name);
    return server;
  }

  private constructor(bus: BusPeer) {
    this.#bus = bus;
    bus.method(path, name, 'GetCapabilities', () => ['as', [['actions', 'body', 'body-markup']]]);
    bus.method(path, name, 'GetServerInformation', () => ['ssss', ['test', 'test', '1', '1.2']]);
    bus.method(path, name, 'Notify', ([_app, _replaces, _icon, title, body, actions]) => [
      'u',
      [this.#show(title as string, body as string, actions as string[])],
    ]);
  }

  /** of all notifications so far, the oldest first */
  titles(): readonly string[] {
    return this.#shown.map(({ title }) => title);
  }

  /** The newest notification with this title. */
  shown(title: string, deadlineMs?: number): Promise<Shown> {
    return eventually(
      `the notification "${title}"`,
      async () => this.#shown.findLast((one) => one.title === title),
      deadlineMs,
    );
  }

  press({ id, buttons }: Shown, label: string): void {
    const key = Object.keys(buttons).find((one) => buttons[one] === label);
    if (key === undefined) throw new Error(`no button "${label}"`);
    this.#bus.signal(path, name, 'ActionInvoked', 'us', [id, key]);
    this.#bus.signal(path, name, 'NotificationClosed', 'uu', [id, personClosed]);
  }

  #show(title: string, body: string, actions: string[]): number {
    const id = this.#shown.length + 1;
    const buttons: Record<string, string> = {};
    for (let place = 0; place + 1 < actions.length; place += 2)
      buttons[actions[place] ?? ''] = actions[place + 1] ?? '';
    this.#shown.push({ id, title, body, buttons });
    return id;
  }
}
