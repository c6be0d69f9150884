/** The desktop's notifications (org.freedesktop.Notifications): what is shown, and a person who clicks a button of it. */
import { defineInterface, type MessageBus } from 'dbus-native';
import { eventually } from '../rig/eventually.ts';

export interface Shown {
  id: number;
  title: string;
  body: string;
  /** label by key; the key "default" is a click on all of it */
  buttons: Record<string, string>;
}

const name = 'org.freedesktop.Notifications';
const personClosed = 2;

export class NotificationServer {
  readonly #shown: Shown[] = [];
  readonly #server: ReturnType<typeof defineInterface>;

  static async open(bus: MessageBus): Promise<NotificationServer> {
    const server = new NotificationServer();
    await bus.export('/org/freedesktop/Notifications', server.#server);
    await bus.ownName(name);
    return server;
  }

  private constructor() {
    this.#server = defineInterface({
      name,
      methods: {
        GetCapabilities: {
          in: {},
          out: { capabilities: 'as' },
          handler: () => ['actions', 'body', 'body-markup'],
        },
        GetServerInformation: {
          in: {},
          out: { name: 's', vendor: 's', version: 's', spec: 's' },
          handler: () => ({ name: 'test', vendor: 'test', version: '1', spec: '1.2' }),
        },
        Notify: {
          in: {
            app: 's',
            replaces: 'u',
            icon: 's',
            title: 's',
            body: 's',
            actions: 'as',
            hints: 'a{sv}',
            timeout: 'i',
          },
          out: { id: 'u' },
          handler: ({ title, body, actions }: { title: string; body: string; actions: string[] }) =>
            this.#show(title, body, actions),
        },
      },
      signals: {
        ActionInvoked: { args: { id: 'u', key: 's' } },
        NotificationClosed: { args: { id: 'u', reason: 'u' } },
      },
    });
  }

  /** The newest of this title. */
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
    this.#server.emit['ActionInvoked']?.(id, key);
    this.#server.emit['NotificationClosed']?.(id, personClosed);
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
