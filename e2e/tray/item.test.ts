/** What a desktop sees of the real tray: its registration, its properties, and the layout of its menu, on a real session bus. */
import { beforeAll, expect, test } from 'vitest';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import type { MenuEntry } from './notifier-host.ts';
import { describeOnDesktop } from './on-desktop.ts';
import { TrayStage } from './tray-stage.ts';

describeOnDesktop('the item of the tray', () => {
  const lab = labForFile();
  let stage: TrayStage;

  beforeAll(async () => {
    stage = await TrayStage.open(lab, {});
  });

  test('is registered by a name that a connection of the bus owns', async () => {
    expect(await stage.host.owner()).toMatch(/^:\d+\.\d+$/);
  });

  test('gives a desktop all that it draws', async () => {
    await eventually('its text', async () => (await stage.host.tooltip()) !== '');
    const item = await stage.host.properties();
    expect(item).toMatchObject({ Category: 'ApplicationStatus', Status: 'Active' });
    expect(item['Id']).not.toBe('');
    expect(String(item['Menu'])).toMatch(/^\//);
    expect(item['IconPixmap']).not.toEqual([]);
  });

  test('has a menu in which each entry has an id of its own, and a text unless it separates', async () => {
    await eventually('its menu', async () => (await stage.host.menu()).length > 3);
    const entries = flat(await stage.host.menu());
    expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
    expect(entries.filter(({ label, separator }) => label === '' && !separator)).toEqual([]);
    expect(entries.at(-1)?.label).toMatch(/^Quit/);
  });
});

function flat(entries: readonly MenuEntry[]): MenuEntry[] {
  return entries.flatMap((entry) => [entry, ...flat(entry.entries)]);
}
