import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { readBounded } from './bounded-file.ts';
import { testFolder } from './test-folder.ts';

function folder() {
  const made = testFolder();
  onTestFinished(() => made.remove());
  return (name: string) => `${made.path}/${name}`;
}

test('a file is read whole, up to its bound and no further', () => {
  const at = folder();
  for (const [length, bound] of [
    [0, 0],
    [0, 10],
    [10, 10],
    [70_000, 70_001],
  ] as const) {
    const octets = Buffer.alloc(length, 7);
    writeFileSync(at('file'), octets);
    expect(readBounded(at('file'), bound)).toEqual({ octets });
  }
  writeFileSync(at('file'), Buffer.alloc(11));
  expect(readBounded(at('file'), 10)).toEqual({ reason: 'it is larger than 10 octets' });
});

test('a file that says of itself that it is empty has no more octets than any other', () => {
  expect(readBounded('/proc/self/status', 100)).toEqual({ reason: 'it is larger than 100 octets' });
  expect(readBounded('/proc/self/status', 1_000_000)).toMatchObject({
    octets: expect.any(Buffer),
  });
});

test('what is no regular file is not waited for', () => {
  const at = folder();
  mkdirSync(at('folder'));
  execFileSync('mkfifo', [at('pipe')]);
  symlinkSync('/dev/zero', at('zero'));
  symlinkSync(at('round'), at('round'));
  expect(readBounded(at('folder'), 10)).toEqual({ reason: 'it is a folder' });
  expect(readBounded(at('pipe'), 10)).toEqual({ reason: 'it is not a regular file' });
  expect(readBounded(at('zero'), 10)).toEqual({ reason: 'it is not a regular file' });
  expect(readBounded(at('round'), 10)).toMatchObject({ reason: expect.any(String) });
  expect(readBounded(at('missing'), 10)).toMatchObject({ reason: expect.any(String) });
});
