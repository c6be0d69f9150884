/** Pause codes from the command line: the help desk's side without a service, the machine's against one. */
import { readFileSync, statSync } from 'node:fs';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { fail, succeed } from '../../contract/errors.ts';
import { writeChallenge } from '../../contract/protection/pause-code.ts';
// biome-ignore-start lint/style/noRestrictedImports: the codes are those that a service expects.
import { type TestFolder, testFolder } from '../../service/base/test-folder.ts';
import {
  isResponse,
  type MachineKey,
  readMachineKey,
} from '../../service/pause-codes/pause-key.ts';
// biome-ignore-end lint/style/noRestrictedImports: the codes are those that a service expects.
import { type Ran, runCommand, serve } from '../fixtures/fake-service.ts';
import { someStatus } from '../fixtures/made-up.ts';

let folder: TestFolder;
beforeEach(() => {
  folder = testFolder();
  onTestFinished(() => folder.remove());
});

const at = (name: string) => `${folder.path}/${name}`;
const run = (...words: string[]): Promise<Ran> => runCommand(folder.path, 'pause-code', ...words);

test('a help desk makes its secret, a key for a machine, and the code that this machine takes', async () => {
  await run('keygen', at('secret'));
  const made = await run('key', at('key'), '--secret', at('secret'), '--json');
  for (const file of ['secret', 'key']) expect(statSync(at(file)).mode & 0o777).toBe(0o600);
  const key = readMachineKey(readFileSync(at('key'), 'utf8')) as MachineKey;
  expect(JSON.parse(made.out)).toMatchObject({
    machine: `${key.machine.slice(0, 4)}-${key.machine.slice(4)}`,
  });
  expect(readFileSync(at('key'), 'utf8')).not.toContain(
    readFileSync(at('secret'), 'utf8').split(' ')[1]?.trim(),
  );

  const request = { machine: key.machine, nonce: '4F9T2QKM', minutes: 90 };
  const challenge = writeChallenge(request);
  const answered = await run('answer', challenge, '--key', at('secret'));
  expect(answered.out).toContain('wants to pause for 1 h 30 min');
  const code = answered.out.trim().split('\n').at(-1)?.trim().replace('-', '') ?? '';
  expect(isResponse(code, request, key)).toBe(true);
});

test('nothing is written over, and what is misread is refused', async () => {
  await run('keygen', at('secret'));
  const before = readFileSync(at('secret'), 'utf8');
  expect((await run('keygen', at('secret'))).errors).toContain('is there already');
  expect(readFileSync(at('secret'), 'utf8')).toBe(before);
  expect((await run('key', at('key'))).errors).toContain('--secret is missing');
  const named = await run('key', at('key'), '--secret', at('secret'), '--machine', 'laptop');
  expect([named.code, named.errors]).toEqual([2, expect.stringContaining('no id of a machine')]);
  const misread = await run('answer', 'K7QM-2XVD-4F9T-2QKM-00YK', '--key', at('secret'));
  expect(misread.errors).toContain('is no challenge');
  const wrong = folder.write('profile.key', 'untrusted comment: x');
  const challenge = writeChallenge({ machine: 'K7QM2XVD', nonce: '4F9T2QKM', minutes: 1 });
  expect((await run('answer', challenge, '--key', wrong)).errors).toContain('no secret of a help');
});

test('where a pause needs a code, the challenge is shown, and the code pauses', async () => {
  const asked: unknown[] = [];
  const paused = someStatus({ sentence: 'Paused.' });
  const home = await serve({
    'protection.pause': () => fail('pause-code-needed', 'a pause needs a code', 'ask for it'),
    'pause.challenge': (params) => {
      asked.push(params);
      return succeed({ challenge: 'AAAA-BBBB', minutes: 2, expiresAt: Date.UTC(2026, 10, 1) });
    },
    'pause.redeem': (params) => {
      asked.push(params);
      return succeed({ minutes: 2, status: paused });
    },
  });
  const shown = await runCommand(home, 'pause', '90s');
  expect([shown.code, shown.out]).toEqual([1, expect.stringContaining('\n  AAAA-BBBB\n')]);
  const json = await runCommand(home, 'pause', '2m', '--json');
  expect(JSON.parse(json.out)).toMatchObject({ challenge: 'AAAA-BBBB', minutes: 2 });
  const until = await runCommand(home, 'pause', 'restart');
  expect([until.code, until.errors]).toEqual([1, expect.stringContaining('needs a code')]);
  expect((await runCommand(home, 'pause', '--code', '1234-5678')).out).toBe('Paused.\n');
  expect((await runCommand(home, 'pause', '5m', '--code', '1234-5678')).code).toBe(2);
  expect((await runCommand(home, 'pause')).errors).toContain('the duration is missing');
  expect(asked).toEqual([{ minutes: 2 }, { minutes: 2 }, { code: '1234-5678' }]);
});
