/**
 * A program that may send signals to the tray gets no debugger of it. The test starts the tray as a person does, because
 * Playwright opens a debugger itself.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../rig/eventually.ts';
import { labForTest } from '../rig/lab.ts';
import { Program } from '../rig/process.ts';
import { describeOnDesktop } from './on-desktop.ts';
import { openDesktop } from './tray-stage.ts';

const saysDebugger = /Debugger listening on/;

describeOnDesktop('SIGUSR1', () => {
  test('opens a debugger in an unchanged Electron, and none in the tray', async () => {
    const lab = await labForTest();
    const { tray, host } = await openDesktop(lab, { upstreams: [] });
    const { command, env } = tray;
    const [folder = '', ...words] = tray.words;

    const careless = join(lab.directory, 'careless');
    await mkdir(careless, { mode: 0o755 });
    const main = "process.stderr.write('ready\\n'); setInterval(() => {}, 1000);";
    await writeFile(
      join(careless, 'package.json'),
      '{"main": "main.cjs", "productName": "Careless"}',
    );
    await writeFile(join(careless, 'main.cjs'), main);
    const other = lab.adopt(await Program.start(command, [careless, ...words], { env }));
    await other.ready(async () => other.stderr.includes('ready'));
    process.kill(other.pid, 'SIGUSR1');
    await eventually('a debugger', async () => saysDebugger.test(other.stderr));
    await other.stop('SIGKILL');

    const program = lab.adopt(await Program.start(command, [folder, ...words], { env }));
    await eventually('the tray', async () => (await host.tooltip()) !== '');
    process.kill(program.pid, 'SIGUSR1');
    await host.click('Turn off');
    await eventually('its answer', async () =>
      (await host.menu()).some(({ label }) => label === 'Turn on'),
    );
    expect(program.stderr).not.toMatch(saysDebugger);
    await host.click(/^Quit/);
    await program.exited;
  });
});
