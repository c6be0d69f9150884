import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createSetupHandlers } from './setup-memory.ts';

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'sotto-setup-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

test('it is over once somebody said so, for the next start as well', () => {
  const file = join(folder(), 'setup.json');
  const handlers = createSetupHandlers(file);
  expect(handlers['setup.get']({}, {} as never)).toEqual({ ok: true, value: { over: false } });
  expect(handlers['setup.end']({}, {} as never)).toEqual({ ok: true, value: { over: true } });
  const next = createSetupHandlers(file);
  expect(next['setup.get']({}, {} as never)).toEqual({ ok: true, value: { over: true } });
});

test('what can not be written is said', () => {
  const file = join(folder(), 'setup.json');
  mkdirSync(file);
  expect(createSetupHandlers(file)['setup.end']({}, {} as never)).toMatchObject({
    failure: { code: 'state-unwritable', subject: file },
  });
});
