import { expect, test } from 'vitest';
import { askerName, programName } from './asker-name.ts';
import type { Asker } from './query-event.ts';

const nobody: Asker = {
  attribution: 'known',
  program: '',
  application: '',
  icon: '',
  forwards: false,
  unit: '',
  container: '',
  executable: '',
  user: '',
};

test.each<[Partial<Asker>, string]>([
  [{}, ''],
  [{ program: 'firefox', application: 'Firefox Web Browser' }, 'Firefox Web Browser'],
  [{ program: 'firefox', executable: '/usr/lib/firefox/firefox' }, 'firefox'],
  [{ program: 'session', executable: '/usr/bin/curl' }, 'curl'],
  [{ program: 'session' }, 'session'],
  [{ program: 'session', unit: 'session-3.scope', user: 'ann' }, 'ann · session-3'],
  [{ program: 'session', unit: 'vte-spawn-1b2c.scope' }, 'vte-spawn-1b2c'],
  [
    { program: 'session', unit: 'run-u12.service', user: 'bo', executable: '/usr/bin/curl' },
    'curl',
  ],
  [{ executable: '/usr/bin/curl' }, 'curl'],
  [{ program: 'docker', container: 'web' }, 'web'],
])('%j is called %s', (asker, name) => {
  expect(askerName({ ...nobody, ...asker })).toBe(name);
});

test.each<[Partial<Asker>, string]>([
  [{}, ''],
  [{ program: 'firefox', application: 'Firefox Web Browser' }, 'firefox'],
  [{ program: 'session', executable: '/usr/bin/curl', user: 'ann' }, 'curl'],
  [{ program: 'session', unit: 'session-3.scope', user: 'ann' }, 'session'],
  [{ program: 'docker', container: 'web', executable: '/usr/sbin/nginx' }, 'web'],
])('%j is found and counted as %s', (asker, name) => {
  expect(programName({ ...nobody, ...asker })).toBe(name);
});
