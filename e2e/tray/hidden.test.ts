/** The tray as it starts at login, with the argument of the autostart file. */
import { chown } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { ToldService } from '../rig/told-service.ts';
import { describeOnDesktop } from './on-desktop.ts';
import { person } from './person.ts';
import { TrayStage } from './tray-stage.ts';

describeOnDesktop('the tray at login', () => {
  const lab = labForFile();
  let stage: TrayStage;

  beforeAll(async () => {
    const answering = async (home: string) => {
      await ToldService.start(lab, home, {});
      await chown(join(home, 'control.sock'), person.uid, person.uid);
    };
    stage = await TrayStage.open(lab, {}, answering, ['--hidden']);
  });

  const windows = () =>
    stage.application.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length);

  test('shows no window until one is opened, and uses the running service', async () => {
    await eventually('protected', async () =>
      (await stage.host.tooltip()).includes('Protected. quad9 answers'),
    );
    expect(await windows()).toBe(0);
    const labels = async () => (await stage.host.menu()).map(({ label }) => label);
    await expect.poll(labels).toContain('Quit the tray (this computer goes on asking Sotto)');
    await stage.host.click('Open Sotto');
    await eventually('a window', async () => (await windows()) === 1);
  });
});
