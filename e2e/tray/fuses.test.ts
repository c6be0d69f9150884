/** The fuses of the shipped Electron, tried on a copy of the tests' Electron. */
import { copyFile, readdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { setFuses } from '../../build/electron-fuses.ts';
import { labForTest } from '../rig/lab.ts';
import { Program } from '../rig/process.ts';
import { electronRuntime } from './electron-runtime.ts';
import { describeOnDesktop } from './on-desktop.ts';

describeOnDesktop('the fuses', () => {
  test('Electron as shipped does not run as Node', async () => {
    const lab = await labForTest();
    const electron = await electronRuntime();
    const folder = dirname(electron);
    const copy = join(lab.directory, 'electron');
    for (const name of await readdir(folder))
      if (join(folder, name) !== electron)
        await symlink(join(folder, name), join(lab.directory, name));
    await copyFile(electron, copy);
    const asNode = async () => {
      const environment = { env: { ELECTRON_RUN_AS_NODE: '1', DISPLAY: '' } };
      const program = await Program.start(copy, ['--eval', 'console.log("as Node")'], environment);
      await program.exited;
      return program.stdout;
    };

    expect(await asNode()).toBe('as Node\n');
    await setFuses(copy);
    expect(await asNode()).not.toContain('as Node');
  });
});
