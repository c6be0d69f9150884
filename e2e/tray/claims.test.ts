/** Names that a network claims, in the real tray: menu and notification ask once, and a click on the bus answers. */
import { chown } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { say } from '../../app/contract/sentences/sentence.ts';
import type { NameClaim } from '../../app/contract/settings/rule-methods.ts';
import { describeHealthIssue } from '../../app/contract/status/health-issue.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { ToldService } from '../rig/told-service.ts';
import { describeOnDesktop } from './on-desktop.ts';
import { person } from './person.ts';
import { TrayStage } from './tray-stage.ts';

const claimed = (suffix: string) =>
  describeHealthIssue('names-claimed', suffix, [say('name-claimed', { suffix, link: 'eth0' })], 0);
const link: Pick<NameClaim, 'link' | 'by' | 'vpn' | 'to'> = {
  link: 'eth0',
  by: 'network-manager',
  vpn: false,
  to: ['192.0.2.1:53'],
};

describeOnDesktop('names that a network claims', () => {
  const lab = labForFile();
  const answers: unknown[] = [];
  let stage: TrayStage;
  let service: ToldService;

  beforeAll(async () => {
    const answering = async (home: string) => {
      service = await ToldService.start(lab, home, {
        'rule.answer': (params) => {
          answers.push(params);
          service.tell({ health: [] });
          const { suffix, believe } = params;
          return {
            ok: true,
            value: { ...link, suffix, state: believe ? 'believed' : 'refused' },
          };
        },
      });
      await chown(join(home, 'control.sock'), person.uid, person.uid);
    };
    stage = await TrayStage.open(lab, {}, answering, ['--hidden']);
    await eventually('the tray', async () => (await labels()).includes('Turn off'));
  });

  const labels = async () => (await stage.host.menu()).map(({ label }) => label);

  test('a click in the menu accepts the claim, and the entry disappears', async () => {
    expect(await labels()).not.toContain('Allow');
    service.tell({ health: [claimed('corp.example')] });
    await eventually('the claim in the menu', async () =>
      (await labels()).includes('This network claims corp.example'),
    );
    await stage.host.click('Allow');
    await eventually('the answer', async () => answers.length === 1);
    expect(answers).toEqual([{ suffix: 'corp.example', link: 'eth0', believe: true }]);
    await eventually('no entry', async () => !(await labels()).includes('Allow'));
  });

  test('a person who wants no notifications gets none, and the menu says it all the same', async () => {
    await stage.host.click('Open Sotto');
    const page = await stage.window();
    await page.waitForLoadState();
    const want = (notices: boolean) => page.evaluate(`sotto.setShowsNotices(${notices})`);
    expect(await want(false)).toMatchObject({ ok: true });
    service.tell({ health: [claimed('quiet.example')] });
    await eventually('the claim in the menu', async () =>
      (await labels()).includes('This network claims quiet.example'),
    );
    expect(await want(true)).toMatchObject({ ok: true });
    service.tell({ health: [] });
    await eventually('no entry', async () => !(await labels()).includes('Allow'));
  });

  test('a button of the notification refuses the claim', async () => {
    service.tell({ health: [claimed('lab.example')] });
    const shown = await stage.host.notifications.shown('This network claims lab.example');
    expect(stage.host.notifications.titles()).not.toContain('This network claims quiet.example');
    expect(Object.values(shown.buttons)).toEqual(['Allow', 'Keep encrypted', '']);
    stage.host.notifications.press(shown, 'Keep encrypted');
    await eventually('the answer', async () => answers.length === 2);
    expect(answers[1]).toEqual({ suffix: 'lab.example', link: 'eth0', believe: false });
  });
});
