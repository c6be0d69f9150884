import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('what was started further back stays there, and nothing fails', ({ skip }) => {
  const module = JSON.stringify(new URL('./step-back.ts', import.meta.url).href);
  const program = `
    import { getPriority } from 'node:os';
    import { stepBack } from ${module};
    stepBack(0, 10);
    console.log(getPriority());
  `;
  // In a namespace of its own not even root may bring a process forward.
  const alone = ['--user', 'nice', '-n', '19'];
  if (spawnSync('unshare', [...alone, 'true']).status !== 0)
    skip('no user namespaces here (unshare --user): enable them to run it');
  const node = [process.execPath, '--input-type=module', '-e', program];
  const { stdout, stderr } = spawnSync('unshare', [...alone, ...node], { encoding: 'utf8' });
  expect([stdout, stderr]).toEqual(['19\n', '']);
});
