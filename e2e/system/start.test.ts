/** What `npm start` runs once everything is built: it prints a greeting, and writes the journal to a file. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWith } from '../rig/available.ts';
import { labForFile } from '../rig/lab.ts';
import { freePort } from '../rig/ports.ts';
import { Program, run } from '../rig/process.ts';

const script = join(import.meta.dirname, '..', '..', 'build', 'start.ts');

describeWith(['sotto'], 'npm start', () => {
  const lab = labForFile();

  async function start(settings: object | string, ...words: string[]): Promise<[Program, string]> {
    const home = mkdtempSync(join(lab.directory, 'home-'));
    const text = typeof settings === 'string' ? settings : JSON.stringify(settings);
    writeFileSync(join(home, 'settings.json'), text);
    const given = ['--disable-warning=ExperimentalWarning', script, '--home', home, ...words];
    const env = { DISPLAY: '', WAYLAND_DISPLAY: '' };
    return [lab.adopt(await Program.start(process.execPath, given, { env })), home];
  }
  const listeningOn = (port: number) => ({ listen: [`127.0.0.1:${port}`] });

  it('prints only its greeting, and writes the journal of guardian and service to a file', async () => {
    const port = await freePort();
    const [program, home] = await start(listeningOn(port));
    await program.line(/end it/);
    await program.line(/The page: /);
    const journal = join(home, 'journal.jsonl');
    await program.stop('SIGINT');
    expect(program.stderr).toBe('');
    expect(program.stdout.split('\n')).toEqual([
      '',
      `Sotto listens on 127.0.0.1:${port}`,
      '',
      `  ask it     dig @127.0.0.1 -p ${port} example.com`,
      '  watch it   npx sotto log --follow',
      '  its state  npx sotto status',
      `  settings   ${join(home, 'settings.json')}`,
      `  journal    ${journal}`,
      '  end it     Ctrl-C',
      '',
      expect.stringMatching(/^The page: file:\/\/.*\/open\.html$/),
      '',
    ]);
    const lines = readFileSync(journal, 'utf8').trim().split('\n');
    const told = lines.map((line) => JSON.parse(line) as { event?: string; part?: string });
    expect(told.map(({ event }) => event)).toContain('service-stopped');
    expect(told.some(({ part }) => part === 'guardian')).toBe(true);
  });

  it('writes the journal to standard error where that is requested', async () => {
    const [program] = await start(listeningOn(await freePort()), '--journal=-');
    await program.line(/"event":"service-started"/);
    await program.stop('SIGINT');
    expect(program.stdout).not.toContain('journal ');
  });

  it('says what keeps it from starting', async () => {
    const [wrong] = await start('{"listen": 5}');
    await wrong.exited;
    expect(wrong.stderr).toMatch(/settings\.json, line 1/);
    const [unwritable] = await start(listeningOn(await freePort()), '--journal=/proc/none/j');
    expect((await unwritable.exited).code).toBe(2);
    expect(unwritable.stderr).toMatch(/the journal can not be written: .*\/proc\/none/);
    const { stdout } = await run(process.execPath, [script, '--help']);
    expect(stdout).toContain('--journal [file]');
  });
});
