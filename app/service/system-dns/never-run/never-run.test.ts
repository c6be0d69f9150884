import { expect, test } from 'vitest';
import { neverRunMechanisms } from './never-run.ts';

const open = { SOTTO_NEVER_RUN: '1' };

test.each([
  ['darwin', {}],
  ['win32', {}],
  ['win32', { SOTTO_NEVER_RUN: '0' }],
  ['linux', open],
] as const)('the door is closed: %s, %j', (platform, environment) => {
  expect(neverRunMechanisms(platform, environment)).toEqual([]);
});

test('what is behind it says that it was never run', async () => {
  const [mechanism] = neverRunMechanisms('darwin', open);
  expect(mechanism?.name).toBe('macos');
  expect((await mechanism?.look())?.why).toMatch(/\. This was never run on macOS\.$/);
});
