/** `npm start` where the tray can't be shown: it says why, and serves the page instead. The shells that fail are real ones. */
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inRoot } from '../../build/places.mjs';
import { describeWith } from '../rig/available.ts';
import { labForFile } from '../rig/lab.ts';
import { SottoServer } from '../rig/peers/sotto-server.ts';
import { Program, run } from '../rig/process.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { electronRuntime } from '../tray/electron-runtime.ts';
import { person } from '../tray/person.ts';
import { openScreen } from '../tray/tray-stage.ts';

describeWith(['sotto', 'sotto-server'], 'a shell that fails', () => {
  const lab = labForFile();

  async function start(shell: string, display = ''): Promise<Program> {
    const answers = inRoot('assets', 'demo', 'example.zone');
    const server = await SottoServer.start(lab, { answers, name: 'resolver.demo.example' });
    const service = await SottoService.start(lab, { upstreams: [server.upstream('garden')] });
    return lab.adopt(
      await Program.start(
        process.execPath,
        [inRoot('build', 'shell.ts'), shell, '--home', service.home],
        {
          env: { DISPLAY: display, WAYLAND_DISPLAY: '' },
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
    await expectPage(
      await start(await asPerson(await electronRuntime())),
      /could not be shown: .*(display|X server|ozone)/i,
      /A tray needs a desktop/,
    );
  }, 180_000);

  it('that is Electron started by root', async ({ skip }) => {
    if (process.getuid?.() !== 0) skip('only root can start it as root');
    await expectPage(
      await start(await electronRuntime()),
      /refuses to run as root/,
      /ordinary user/,
    );
  });

  it('that is Electron where user namespaces are forbidden, and the line for a terminal that helps', async () => {
    const electron = await electronRuntime();
    await expectPage(
      await start(await asPerson(electron, withoutNamespaces), await openScreen(lab)),
      /forbids the sandbox that its window needs/,
      /sudo chmod 4755 \S+chrome-sandbox/,
    );
  }, 180_000);

  /** A script that runs it as a person without special rights, with these words before it. */
  async function asPerson(electron: string, words: readonly string[] = []): Promise<string> {
    chmodSync(lab.directory, 0o711);
    const folder = await person.folder(lab, 'shell');
    const script = join(folder, 'electron');
    const [first = electron, ...rest] = [...words, electron];
    const [command, args] = person.inside(first, rest);
    const line = [command, ...args].map((word) => `'${word}'`).join(' ');
    writeFileSync(
      script,
      `#!/bin/sh\nexport HOME=${folder} XDG_CONFIG_HOME=${folder}\nexec ${line} "$@"\n`,
    );
    chmodSync(script, 0o755);
    return script;
  }
});

/** Runs what follows in a user namespace in which no further one can be made, as a system does that forbids them. */
const withoutNamespaces = [
  ...['unshare', '--user', '--map-user=65534', '--map-group=65534', '--keep-caps', 'sh', '-c'],
  'echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv --inh-caps=-all --ambient-caps=-all -- "$@"',
  'sh',
];
