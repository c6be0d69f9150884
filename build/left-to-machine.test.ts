import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { leftToMachine } from './left-to-machine.ts';
import { inRoot } from './places.mjs';

test.each(leftToMachine)('%s is there, and no promise rests on it', (file) => {
  expect(existsSync(inRoot(file))).toBe(true);
  expect(readFileSync(inRoot('SECURITY.md'), 'utf8')).not.toContain(file);
});
