/**
 * The desktop's side of a tray on Linux (StatusNotifierItem and dbusmenu): a bus of its own, a watcher on it with which items
 * register, and functions to read an item's mark, tooltip and menu, and to click.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BusPeer } from '../../app/service/network/bus-peer-fixture.ts';
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
  /** null: neither a check box nor one of several choices */
  checked: boolean | null;
  separator: boolean;
  entries: MenuEntry[];
}

const itemPath = '/StatusNotifierItem';
const busName = 'org.freedesktop.DBus';
const watcherName = 'org.kde.StatusNotifierWatcher';

export class NotifierHost {
  readonly address: string;
  readonly notifications: NotificationServer;
  readonly #bus: BusPeer;
  readonly #items: string[];

  static async open(lab: Lab, person: Person): Promise<NotifierHost> {
    const folder = await person.folder(lab, 'bus');
    const address = `unix:path=${join(folder, 'bus')}`;
    const file = join(folder, 'bus.conf');
    await writeFile(file, configuration(address), { mode: 0o644 });
    const daemon = ['--nofork', '--nopidfile', '--print-address=1', `--config-file=${file}`];
    const program = lab.adopt(await Program.start(...person.inside('dbus-daemon', daemon)));
    await program.ready(async () => program.stdout.includes(address));
    const bus = await BusPeer.join(address);
    lab.adopt({ stop: () => bus.close() });
    const items: string[] = [];
    watchItems(bus, items);
    await bus.own(watcherName);
    return new NotifierHost(address, bus, items, await NotificationServer.open(bus));
  }

  private constructor(
    address: string,
    bus: BusPeer,
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
    const pictures = (await this.#property('IconPixmap')) as [number, number, number[]][];
    const [width, height, octets] = pictures.sort(([one], [other]) => other - one)[0] ?? [];
    if (width === undefined || height === undefined || octets === undefined)
      throw new Error('the item shows no picture');
    return readPicture(width, height, Uint8Array.from(octets));
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

  /** Clicks the entry with this label, wherever in the menu it is. */
  async click(label: string | RegExp, deadlineMs?: number): Promise<void> {
    const isMeant = (shown: string) =>
      typeof label === 'string' ? shown === label : label.test(shown);
    await eventually(
      `${label} in the menu`,
      async () => {
        const path = (await this.#property('Menu')) as string;
        const entry = all(await this.menu()).find((one) => isMeant(one.label) && one.enabled);
        if (entry === undefined) return false;
        const event = [entry.id, 'clicked', ['i', 0], 0];
        const clicked = this.#call(path, 'com.canonical.dbusmenu', 'Event', 'isvu', event);
        // A menu that was replaced meanwhile refuses the click, and a person would click again; a tray that quits gives no reply.
        return await clicked.then(
          () => true,
          (error) => String(error).includes('NoReply'),
        );
      },
      deadlineMs,
    );
  }

  /** The unique name of the connection that owns the item. */
  async owner(): Promise<string> {
    const item = await eventually('an item in the tray', async () => this.#items.at(-1));
    const call = { destination: busName, path: '/org/freedesktop/DBus', interface: busName };
    const [owner] = await this.#bus.call({
      ...call,
      member: 'GetNameOwner',
      signature: 's',
      body: [item],
    });
    return String(owner);
  }

  /** What a desktop reads of the item. */
  async properties(): Promise<Record<string, unknown>> {
    const [all] = await this.#call(itemPath, 'org.freedesktop.DBus.Properties', 'GetAll', 's', [
      'org.kde.StatusNotifierItem',
    ]);
    return all as Record<string, unknown>;
  }

  async #property(name: string): Promise<unknown> {
    return (await this.properties())[name];
  }

  async #call(
    path: string,
    interfaceName: string,
    member: string,
    signature: string,
    body: unknown[],
  ): Promise<unknown[]> {
    const destination = await eventually('an item in the tray', async () => this.#items.at(-1));
    const call = { destination, path, interface: interfaceName, member, signature, body };
    return await this.#bus.call(call);
  }
}

type Layout = [number, Record<string, unknown>, Layout[]];

function entryOf([id, properties, children]: Layout): MenuEntry {
  const toggled = /^(checkmark|radio)$/.test(String(properties['toggle-type']));
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

function watchItems(bus: BusPeer, items: string[]): void {
  const path = '/StatusNotifierWatcher';
  bus.method(path, watcherName, 'RegisterStatusNotifierItem', ([service], sender) => {
    items.push(String(service).startsWith('/') ? sender : String(service));
    return ['', []];
  });
  bus.method(path, watcherName, 'RegisterStatusNotifierHost', () => ['', []]);
  bus.serve(path, watcherName, {
    RegisteredStatusNotifierItems: () => ['as', items],
    IsStatusNotifierHostRegistered: () => ['b', true],
    ProtocolVersion: () => ['i', 0],
  });
}

function configuration(address: string): string {
  return `<busconfig><type>session</type><listen>${address}</listen><auth>EXTERNAL</auth>
    <policy context="default"><allow user="*"/><allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`;
}
