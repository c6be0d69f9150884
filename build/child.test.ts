import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { inRoot } from './places.mjs';

/** A launcher of `script`, as build/sotto.mjs is for the command line. */
function launch(script: string, by: 'passThrough' | 'run' = 'passThrough') {
  const module = JSON.stringify(inRoot('build', 'child.mjs'));
  const launcher = `import { ${by} } from ${module};
    await ${by}(process.execPath, ['-e', ${JSON.stringify(script)}]);
    console.log('went on');`;
  return spawn(process.execPath, ['--input-type=module', '-e', launcher], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

test.each([0, 3, 130])('the exit code %i is passed through', async (code) => {
  const launcher = launch(`process.exit(${code})`);
  expect(await once(launcher, 'close')).toEqual([code, null]);
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s reaches the child, whose answer counts',
  async (signal) => {
    const launcher = launch(
      `process.on('${signal}', () => process.exit(7)); setInterval(() => {}, 1000); console.log('ready')`,
    );
    await once(launcher.stdout, 'data');
    launcher.kill(signal);
    expect(await once(launcher, 'close')).toEqual([7, null]);
  },
);

test('when a child dies of a signal, the launcher dies of the same one', async () => {
  const launcher = launch(`process.kill(process.pid, 'SIGKILL')`);
  expect(await once(launcher, 'close')).toEqual([null, 'SIGKILL']);
});

test('an interrupted step is waited for, and no further step starts', async () => {
  const script = `process.on('SIGTERM', () => { console.log('tidied'); process.exit(0); });
    setInterval(() => {}, 1000); console.log('ready')`;
  const launcher = launch(script, 'run');
  let said = '';
  launcher.stdout.on('data', (text) => (said += text));
  await once(launcher.stdout, 'data');
  launcher.kill('SIGTERM');
  expect(await once(launcher, 'close')).toEqual([null, 'SIGTERM']);
  expect(said).toBe('ready\ntidied\n');
});

test('a child that cannot be started is an error', async () => {
  const { run } = await import('./child.mjs');
  await expect(run(inRoot('no-such-program'), [])).rejects.toThrow('ENOENT');
});
