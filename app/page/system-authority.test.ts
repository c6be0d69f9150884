/** The prompt's bounds, with a real program in pkexec's place; the real pkexec is in e2e/packages/authority.test.ts. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemAuthority } from './system-authority.ts';

/** `script`: of the stand-in, which finds its folder in $here. */
function places(script: string) {
  const folder = mkdtempSync(join(tmpdir(), 'sotto-authority-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = (name: string) => join(folder, name);
  for (const name of ['program', 'policy']) writeFileSync(path(name), '');
  writeFileSync(path('pkexec'), `#!/bin/sh\nhere='${folder}'\n${script}\n`, { mode: 0o755 });
  return {
    path,
    places: { pkexec: path('pkexec'), program: path('program'), policy: path('policy') },
  };
}

const calm = new AbortController().signal;
/** begins, and stays until it is ended */
const stays = 'echo $$ >"$here/pid"; exec sleep 1000';

async function begun(path: (name: string) => string): Promise<number> {
  const read = () => (existsSync(path('pid')) ? Number(readFileSync(path('pid'), 'utf8')) : 0);
  await expect.poll(read, { timeout: 60_000 }).toBeGreaterThan(0);
  return read();
}

const isAlive = (pid: number) => existsSync(`/proc/${pid}`);

test('the command is the program and one word, in an environment without the person’s', async () => {
  const { path, places: here } = places(
    'echo "$*" >"$here/words"; env >"$here/env"; pwd >"$here/pwd"',
  );
  process.env['SOTTO_HOME'] = '/nowhere';
  onTestFinished(() => {
    delete process.env['SOTTO_HOME'];
  });
  expect(await systemAuthority(here).ask('give-back', calm)).toEqual({ ok: true, value: null });
  const read = (name: string) => readFileSync(path(name), 'utf8').trim();
  expect(read('words')).toBe(`--disable-internal-agent ${here.program} give-back`);
  expect(read('pwd')).toBe('/');
  expect(read('env')).not.toMatch(/SOTTO|HOME|NODE/);
});

test.each(['pkexec', 'program', 'policy'] as const)(
  'without %s there is no prompt',
  async (part) => {
    const { path, places: here } = places('touch "$here/ran"');
    rmSync(here[part]);
    expect(await systemAuthority(here).ask('take', calm)).toMatchObject({
      failure: { code: 'authority-missing', remedy: 'as an administrator: sudo sotto system take' },
    });
    expect(existsSync(path('ran'))).toBe(false);
  },
);

test('a second prompt is refused while one is open, and the person can close it', async () => {
  const { path, places: here } = places(stays);
  const authority = systemAuthority(here);
  const ending = new AbortController();
  const first = authority.ask('take', ending.signal);
  const pid = await begun(path);
  for (const change of ['take', 'give-back'] as const)
    expect(await authority.ask(change, calm)).toMatchObject({
      failure: { code: 'authority-busy' },
    });
  ending.abort();
  expect(await first).toMatchObject({ failure: { code: 'authority-dismissed' } });
  await expect.poll(() => isAlive(pid)).toBe(false);
  writeFileSync(here.pkexec, '#!/bin/sh\nexit 0\n');
  await expect.poll(async () => (await authority.ask('take', calm)).ok).toBe(true);
});

test('a prompt that nobody answers is closed', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { path, places: here } = places(stays);
  const asked = systemAuthority(here, 2000).ask('take', calm);
  const pid = await begun(path);
  vi.advanceTimersByTime(2000);
  expect(await asked).toMatchObject({ failure: { code: 'authority-late' } });
  await expect.poll(() => isAlive(pid)).toBe(false);
});

test('a wish that was taken back before it began opens none', async () => {
  const { path, places: here } = places('touch "$here/ran"');
  expect(await systemAuthority(here).ask('take', AbortSignal.abort())).toMatchObject({
    failure: { code: 'authority-dismissed' },
  });
  expect(existsSync(path('ran'))).toBe(false);
});

test('a program that writes without end keeps little of it', async () => {
  const { places: here } = places('yes "no" | head -c 5000000 >&2; exit 127');
  const asked = await systemAuthority(here).ask('take', calm);
  expect(asked).toMatchObject({ failure: { code: 'authority-unreachable' } });
  expect(JSON.stringify(asked).length).toBeLessThan(1000);
});
