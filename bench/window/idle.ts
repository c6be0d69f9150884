/** What the tray costs while nothing happens, with its window closed and its service idle. */
import { chown } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Lab } from '../../e2e/rig/lab.ts';
import { ToldService } from '../../e2e/rig/told-service.ts';
import { person } from '../../e2e/tray/person.ts';
import { TrayStage } from '../../e2e/tray/tray-stage.ts';
import { ProcessTree } from '../process-tree.ts';

export const idleSeconds = 60;

/** Processor seconds of the tray and all of Electron's processes, without the service, which is not its child here. */
export async function idleTray(lab: Lab): Promise<number> {
  const stage = await TrayStage.open(lab, {}, async (home) => {
    await ToldService.start(lab, home, {});
    await chown(join(home, 'control.sock'), person.uid, person.uid);
  });
  const page = await stage.window();
  await page.waitForLoadState();
  await page.close();
  const pid = stage.application.process().pid;
  if (pid === undefined) throw new Error('the tray has ended');
  const tree = new ProcessTree(pid);
  await tree.settled();
  const before = await tree.cpuSeconds();
  await pause(idleSeconds * 1000);
  return (await tree.cpuSeconds()) - before;
}
