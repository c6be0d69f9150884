/** `npm start` where the tray can't be shown: it says why, and serves the page instead. The shells that fail are real ones. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inRoot } from '../../build/places.mjs';
import { describeWith } from '../rig/available.ts';
import { labForFile } from '../rig/lab.ts';
import { SottoServer } from '../rig/peers/sotto-server.ts';
import { Program, run } from '../rig/process.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { electronRuntime } from '../tray/electron-runtime.ts';

describeWith(['sotto', 'sotto-server'], 'a shell that fails', () => {
  const lab = labForFile();

  async function start(shell: string): Promise<Program> {
    const answers = inRoot('assets', 'demo', 'example.zone');
    const server = await SottoServer.start(lab, { answers, name: 'resolver.demo.example' });
    const service = await SottoService.start(lab, { upstreams: [server.upstream('garden')] });
    return lab.adopt(
      await Program.start(
        process.execPath,
        [inRoot('build', 'shell.ts'), shell, '--home', service.home],
        {
          env: { DISPLAY: '', WAYLAND_DISPLAY: '' },
        },
      ),
    );
  }

  async function expectPage(program: Program, why: RegExp, remedy: RegExp): Promise<void> {
    await program.line(/The page: file:.*open\.html/);
    expect(program.stdout).toMatch(why);
    expect(program.stdout).toMatch(remedy);
    await program.stop('SIGTERM');
  }

  it('that is not there', async () => {
    const program = await start('/nowhere/electron');
    await expectPage(
      program,
      /could not be shown: spawn \/nowhere\/electron ENOENT/,
      /Sotto works/,
    );
  });

  it('that ends at once', async () => {
    await expectPage(
      await start('/bin/false'),
      /could not be shown: it ended with 1/,
      /Sotto works/,
    );
  });

  it('that lacks a library', async () => {
    const folder = mkdtempSync(join(lab.directory, 'shell-'));
    const shell = join(folder, 'electron');
    // what the loader says of a program whose library is missing
    const source = join(folder, 'needs.c');
    writeFileSync(source, 'int main(void) { return 0; }');
    await run('cc', ['-shared', '-o', join(folder, 'libneeded.so'), '-x', 'c', '/dev/null']);
    await run('cc', ['-o', shell, source, '-Wl,--no-as-needed', `-L${folder}`, '-lneeded']);
    await expectPage(
      await start(shell),
      /libneeded\.so: cannot open shared object/,
      /Installing the library/,
    );
  });

  it('that is Electron without a desktop', async () => {
    const program = await start(await electronRuntime());
    await expectPage(
      program,
      /could not be shown: .*(without --no-sandbox|display|ozone|ended)/i,
      /Sotto works/,
    );
  }, 180_000);
});
