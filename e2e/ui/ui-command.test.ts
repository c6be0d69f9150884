/** The command `sotto ui`: what it leaves behind, and what it prints without a service. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { nodeFlags } from '../../build/places.mjs';
import { commandLine, describeWith } from '../rig/available.ts';
import { labForFile } from '../rig/lab.ts';
import { freePort } from '../rig/ports.ts';
import { Program, run } from '../rig/process.ts';
import { SottoService } from '../rig/sotto-service.ts';

const ui = [...nodeFlags, commandLine, 'ui', '--no-open'];

describeWith(['sotto'], 'sotto ui', () => {
  const lab = labForFile();

  it('prints where the page is without its code, and leaves nothing behind', async () => {
    const service = await SottoService.start(lab, { upstreams: [] });
    const env = { SOTTO_HOME: service.home };
    const program = lab.adopt(await Program.start(process.execPath, ui, { env }));
    const [, file = ''] = await program.line(/^The page: file:\/\/(.+)$/m);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const [, code = ''] = /#code=([\w-]+)/.exec(readFileSync(file, 'utf8')) ?? [];
    expect(code).toHaveLength(43);
    expect(program.stdout).not.toContain(code);
    expect(await program.stop('SIGINT')).toEqual({ code: 0, signal: null });
    expect(existsSync(dirname(file))).toBe(false);
    await service.stop();
  });

  it('serves the page at the port that a tunnel needs, and says when another program has it', async () => {
    const service = await SottoService.start(lab, { upstreams: [] });
    const env = { SOTTO_HOME: service.home };
    const port = await freePort();
    const words = [...ui, '--port', `${port}`];
    const program = lab.adopt(await Program.start(process.execPath, words, { env }));
    const [, file = ''] = await program.line(/^The page: file:\/\/(.+)$/m);
    expect(readFileSync(file, 'utf8')).toContain(`url=http://127.0.0.1:${port}/#code=`);
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200);
    const second = await run(process.execPath, words, { env });
    expect(second.code).toBe(2);
    expect(second.stderr).toContain(`another program has port ${port}`);
    expect((await run(process.execPath, [...ui, '--port', '80'], { env })).code).toBe(2);
    await program.stop('SIGINT');
    await service.stop();
  });

  it('says what to do where no service runs', async () => {
    const home = await mkdtemp(join(lab.directory, 'none-'));
    const { code, stderr } = await run(process.execPath, ui, { env: { SOTTO_HOME: home } });
    expect(code).toBe(3);
    expect(stderr).toContain('start it with: sotto run');
  });
});
