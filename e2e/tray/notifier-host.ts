/**
 * The desktop's side of a tray on Linux (StatusNotifierItem and dbusmenu): a bus of its own, a watcher on it with which items
 * register, and a person who reads an item's mark, tooltip and menu, and clicks.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, defineInterface, type MessageBus, toPlain } from 'dbus-native';
import { eventually } from '../rig/eventually.ts';
import type { Lab } from '../rig/lab.ts';
import { Program } from '../rig/process.ts';
import { type Picture, readPicture } from './marks.ts';
import { NotificationServer } from './notification-server.ts';
import type { Person } from './person.ts';

export interface MenuEntry {
  id: number;
  label: string;
  enabled: boolean;
  /** null: no check box */
  checked: boolean | null;
  separator: boolean;
  entries: MenuEntry[];
}

const itemPath = '/StatusNotifierItem';
const watcherName = 'org.kde.StatusNotifierWatcher';

export class NotifierHost {
  readonly address: string;
  readonly notifications: NotificationServer;
  readonly #bus: MessageBus;
  readonly #items: string[];

  static async open(lab: Lab, person: Person): Promise<NotifierHost> {
    const folder = await person.folder(lab, 'bus');
    const address = `unix:path=${join(folder, 'bus')}`;
    const file = join(folder, 'bus.conf');
    await writeFile(file, configuration(address), { mode: 0o644 });
    const daemon = ['--nofork', '--nopidfile', '--print-address=1', `--config-file=${file}`];
    const program = lab.adopt(await Program.start(...person.inside('dbus-daemon', daemon)));
    await program.ready(async () => program.stdout.includes(address));
    const bus = createClient({ busAddress: address });
    lab.adopt({ stop: () => bus.close() });
    const items: string[] = [];
    await bus.export('/StatusNotifierWatcher', watcher(items));
    await bus.ownName(watcherName);
    return new NotifierHost(address, bus, items, await NotificationServer.open(bus));
  }

  private constructor(
    address: string,
    bus: MessageBus,
    items: string[],
    notifications: NotificationServer,
  ) {
    this.address = address;
    this.notifications = notifications;
    this.#bus = bus;
    this.#items = items;
  }

  async tooltip(): Promise<string> {
    const [, , title, text] = (await this.#property('ToolTip')) as [
      string,
      unknown,
      string,
      string,
    ];
    return [title, text].filter((part) => part !== '').join(' – ');
  }

  /** The largest picture that the item gives. */
  async picture(): Promise<Picture> {
    const pictures = (await this.#property('IconPixmap')) as [number, number, Uint8Array][];
    const [width, height, octets] = pictures.sort(([one], [other]) => other - one)[0] ?? [];
    if (width === undefined || height === undefined || octets === undefined)
      throw new Error('the item shows no picture');
    return readPicture(width, height, octets);
  }

  async menu(): Promise<MenuEntry[]> {
    const path = (await this.#property('Menu')) as string;
    const [, root] = (await this.#call(path, 'com.canonical.dbusmenu', 'GetLayout', 'iias', [
      0,
      -1,
      [],
    ])) as [number, Layout];
    return entryOf(root).entries;
  }

  /** Clicks the entry of this label, wherever in the menu it is. */
  async click(label: string | RegExp, deadlineMs?: number): Promise<void> {
    const isMeant = (shown: string) =>
      typeof label === 'string' ? shown === label : label.test(shown);
    const entry = await eventually(
      `${label} in the menu`,
      async () => all(await this.menu()).find((entry) => isMeant(entry.label) && entry.enabled),
      deadlineMs,
    );
    const path = (await this.#property('Menu')) as string;
    await this.#call(path, 'com.canonical.dbusmenu', 'Event', 'isvu', [
      entry.id,
      'clicked',
      ['i', 0],
      0,
    ]);
  }

  async #property(name: string): Promise<unknown> {
    const all = (await this.#call(itemPath, 'org.freedesktop.DBus.Properties', 'GetAll', 's', [
      'org.kde.StatusNotifierItem',
    ])) as Record<string, unknown>;
    return all[name];
  }

  async #call(
    path: string,
    interfaceName: string,
    member: string,
    signature: string,
    body: unknown[],
  ): Promise<unknown> {
    const destination = await eventually('an item in the tray', async () => this.#items.at(-1));
    const message = { destination, path, interface: interfaceName, member, signature, body };
    return toPlain(await this.#bus.invoke(message));
  }
}

type Layout = [number, Record<string, unknown>, Layout[]];

function entryOf([id, properties, children]: Layout): MenuEntry {
  const toggled = properties['toggle-type'] === 'checkmark';
  return {
    id,
    label: String(properties['label'] ?? '').replace(/_(.)/g, '$1'),
    enabled: properties['enabled'] !== false,
    checked: toggled ? properties['toggle-state'] === 1 : null,
    separator: properties['type'] === 'separator',
    entries: children.map(entryOf),
  };
}

function all(entries: readonly MenuEntry[]): MenuEntry[] {
  return entries.flatMap((entry) => [entry, ...all(entry.entries)]);
}

function watcher(items: string[]) {
  return defineInterface({
    name: watcherName,
    methods: {
      RegisterStatusNotifierItem: {
        in: { service: 's' },
        handler: ({ service }: { service: string }, { sender }) => {
          items.push(service.startsWith('/') ? (sender ?? service) : service);
        },
      },
      RegisterStatusNotifierHost: { in: { service: 's' }, handler: () => undefined },
    },
    properties: {
      RegisteredStatusNotifierItems: { type: 'as', access: 'read', get: () => items },
      IsStatusNotifierHostRegistered: { type: 'b', access: 'read', get: () => true },
      ProtocolVersion: { type: 'i', access: 'read', get: () => 0 },
    },
  });
}

function configuration(address: string): string {
  return `<busconfig><type>session</type><listen>${address}</listen><auth>EXTERNAL</auth>
    <policy context="default"><allow user="*"/><allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`;
}
