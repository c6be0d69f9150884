import { expect, test } from 'vitest';
import type { QueryEvent } from '../../../app/contract/query-log/query-event.ts';
import { termOfProgram } from './row-terms.ts';

test.each([
  [{ program: 'firefox', unit: 'app-firefox.scope' }, 'program:firefox'],
  [{ program: 'session', unit: 'session-3.scope', executable: '/usr/bin/curl' }, 'program:curl'],
  [{ executable: '/usr/bin/dig', user: 'ann' }, 'program:dig'],
  [{ program: 'lxc', container: 'web' }, 'program:web'],
  [{ program: 'session', unit: 'session-3.scope' }, 'unit:session-3.scope'],
  [{ user: 'ann' }, 'user:ann'],
  [{}, null],
])('rows like one of %j are found by %s', (known, term) => {
  const asker = { program: '', unit: '', container: '', executable: '', user: '', ...known };
  expect(termOfProgram({ asker } as QueryEvent)).toBe(term);
});
