/** A link that a browser hands to the real tray: it shows the form to join an organisation, and does nothing else. */
import { beforeAll, expect, test } from 'vitest';
import { labForFile } from '../rig/lab.ts';
import { expectText } from '../ui/expect-page.ts';
import { ProfilesPage } from '../ui/pages/profiles-page.ts';
import { describeOnDesktop } from './on-desktop.ts';
import { TrayStage } from './tray-stage.ts';

describeOnDesktop('a link to the tray', () => {
  const lab = labForFile();
  let stage: TrayStage;
  let page: ProfilesPage;
  const source = 'https://it.example.com/corp.json';
  const link = (more: object = {}) => `sotto://enrol?${new URLSearchParams({ source, ...more })}`;

  beforeAll(async () => {
    stage = await TrayStage.open(lab, {}, undefined, [link({ ring: 'first' })]);
    page = new ProfilesPage(await stage.window());
  });

  const ring = () => page.form.getByRole('textbox', { name: 'Ring' }).inputValue();

  test('that starts it fills in the form', async () => {
    await expectText(page.content, 'A link has filled this in');
    const address = page.form.getByRole('textbox', { name: 'Address', exact: true });
    await expect.poll(() => address.inputValue()).toBe(source);
    await expect.poll(ring).toBe('first');
  });

  test('that comes later opens the form anew, without a fingerprint, and enrols nothing', async () => {
    await stage.startAgain(link({ ring: 'second', fingerprint: 'a'.repeat(64) }));
    await expect.poll(ring).toBe('second');
    expect(await page.fingerprint.inputValue()).toBe('');
    const told = async () => JSON.parse((await stage.cli('profile', 'status', '--json')).stdout);
    await expect.poll(told).toEqual({ profile: null, delivery: null });
  });

  test('that is wrong shows Home', async () => {
    await stage.startAgain('sotto://enrol?source=javascript:alert(1)');
    await expect.poll(() => page.page.url()).toMatch(/#\/home$/);
    await expect.poll(() => stage.application.windows().length).toBe(1);
  });
});
