/** The real tray in a real Electron on a desktop of its own, with a real service that it starts itself. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { SottoServer } from '../rig/peers/sotto-server.ts';
import { openStage, trusting, upstream } from '../system/stage.ts';
import { nearestMark } from './marks.ts';
import { describeOnDesktop } from './on-desktop.ts';
import { TrayStage } from './tray-stage.ts';

describeOnDesktop('the tray', () => {
  const lab = labForFile();
  let stage: TrayStage;

  beforeAll(async () => {
    const upstreamStage = await openStage(lab);
    const server = await SottoServer.start(lab, {
      identity: upstreamStage.identity,
      answers: upstreamStage.unbound.plain,
    });
    stage = await TrayStage.open(lab, {
      upstreams: [
        upstream('garden', 'dot', server.tls, trusting(upstreamStage)),
        upstream('shed', 'dot', server.tls, trusting(upstreamStage)),
      ],
    });
  });

  const labels = async () => (await stage.host.menu()).map(({ label }) => label);

  const shows = async (mark: string) => {
    await expect.poll(async () => nearestMark(await stage.host.picture())).toBe(mark);
  };

  const works = 'Not in use yet. Sotto works, but this computer asks somebody else.';

  test('starts a service where none runs; it works, and is not in use before DNS is taken', async () => {
    await eventually('it works', async () => (await stage.host.tooltip()).includes(works));
    await shows('not-in-use');
    const verdict = async () => (await stage.status()).verdict;
    await expect.poll(verdict).toMatchObject({ is: 'not-in-use', why: 'not-wanted' });
    await expect.poll(labels).toContain('Turn off');
  });

  test('a click on another provider makes it the first, and the tick follows', async () => {
    const order = async () => (await stage.status()).upstreams.map(({ id }) => id);
    await expect.poll(order).toEqual(['garden', 'shed']);
    await stage.host.click('shed');
    await eventually('the other order', async () => (await order()).join() === 'shed,garden');
    const providers = async () =>
      (await stage.host.menu())
        .flatMap(({ entries }) => entries)
        .filter(({ label }) => /^(shed|garden)/.test(label));
    await eventually('the tick', async () =>
      (await providers()).every(({ label, checked }, place) =>
        place === 0 ? checked && label.startsWith('shed') : !checked,
      ),
    );
  });

  test('a click pauses the service, and another resumes it', async () => {
    await stage.host.click('For 15 minutes');
    await eventually('paused', async () => (await stage.status()).protection.state === 'paused');
    const resume = /^Resume \(1[0-5] minutes left\)$/;
    await eventually('the pause in the tray', async () =>
      (await labels()).some((label) => resume.test(label)),
    );
    await shows('paused');
    await stage.host.click(resume);
    await eventually('private', async () => (await stage.status()).protection.state === 'private');
  });

  test('mark and menu show that it is off, and on again', async () => {
    await stage.host.click('Turn off');
    await eventually('off in the tray', async () => (await labels()).includes('Turn on'));
    await shows('off');
    await stage.host.click('Turn on');
    await eventually('on in the tray', async () => (await labels()).includes('Turn off'));
  });

  test('does not show the old state of a service that died, and finds the next one', async () => {
    const { pid } = await stage.status();
    const guardian = await parentOf(pid);
    process.kill(guardian, 'SIGSTOP');
    process.kill(pid, 'SIGKILL');
    await eventually('nothing but its absence', async () =>
      (await stage.host.tooltip()).includes('Sotto is not running'),
    );
    await shows('not-responding');
    await expect.poll(labels).not.toContain('Turn off');
    process.kill(guardian, 'SIGCONT');
    await eventually('it works again', async () => (await stage.host.tooltip()).includes(works));
    await expect.poll(async () => (await stage.status()).pid).not.toBe(pid);
  });

  test('a consent request comes as a notification, whose buttons answer it', async () => {
    await stage.writeSettings({ upstreams: [nobodyThere], downgrade: 'warn' });
    await eventually('a consent request', async () => {
      await stage.ask('www.garden.example');
      return (await stage.status()).consentRequests.length > 0;
    });
    const notification = await stage.host.notifications.shown('Your choice');
    expect(Object.values(notification.buttons)).toEqual([
      'Retry',
      'Allow unencrypted for 10 minutes',
      'Stay protected',
      '',
    ]);
    stage.host.notifications.press(notification, 'Stay protected');
    await eventually(
      'the answer in the service',
      async () => (await stage.status()).consentRequests.length === 0,
    );
    const consents = async () => (await stage.cli('consent', 'list', '--json')).stdout;
    await expect.poll(consents).toContain('"denied"');
    await stage.restoreSettings();
    await eventually('it works again', async () => (await stage.host.tooltip()).includes(works));
  });

  test('starts at login, hidden, once that is ticked', async () => {
    await stage.host.click('Start at login');
    await eventually('the tick', async () =>
      (await stage.host.menu()).some((entry) => entry.label === 'Start at login' && entry.checked),
    );
    const entry = await readFile(join(stage.configuration, 'autostart', 'sotto.desktop'), 'utf8');
    expect(entry).toMatch(/^\[Desktop Entry\]\nType=Application\n/);
    expect(commandOf(entry).at(-1)).toBe('--hidden');
    await stage.host.click('Start at login');
    await eventually(
      'the file gone',
      async () => !existsSync(join(stage.configuration, 'autostart', 'sotto.desktop')),
    );
  });

  test('copies diagnostics without a queried name', async () => {
    await stage.ask('secret.garden.example');
    await stage.host.click('Copy diagnostics');
    const copied = () => stage.application.evaluate(({ clipboard }) => clipboard.readText());
    await eventually('the report on the clipboard', async () => (await copied()).includes('Sotto'));
    expect(await copied()).not.toContain('garden.example');
  });

  test('asks without a private path, and a click answers', async () => {
    await stage.writeSettings({ upstreams: [nobodyThere], downgrade: 'warn' });
    const labelsOfRequest = ['Retry', 'Stay protected'];
    await eventually('a consent request in the menu', async () => {
      await stage.ask('www.garden.example');
      const shown = await labels();
      return labelsOfRequest.every((label) => shown.includes(label));
    });
    await shows('not-in-use');
    await stage.host.click('Allow unencrypted for 10 minutes');
    await eventually('the permission in the ledger', async () =>
      (await stage.status()).clear.some((entry) => entry.class === 'policy'),
    );
    await eventually('what reaches Sotto', async () =>
      (await stage.host.tooltip()).includes('What reaches Sotto leaves unencrypted'),
    );
    await eventually('the permission in the menu', async () =>
      (await labels()).some((label) => label.startsWith('Unencrypted (no encrypted connection)')),
    );
  });
});

/** Desktop Entry Specification: quoted words, in which a backslash escapes the next character. */
function commandOf(entry: string): string[] {
  const [, line = ''] = /^Exec=(.*)$/m.exec(entry) ?? [];
  return [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word = '']) => word);
}

const nobodyThere = {
  id: 'nobody',
  transport: 'dot',
  address: '127.0.0.1:9',
  name: 'dns.example',
};

async function parentOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}
