/** What a profile may say, and how each error is told. */
import { expect, test } from 'vitest';
import { readProfile } from './profile-file.ts';

const facts = { id: 'example-corp', serial: 7, issuer: 'Example Corp', name: 'Laptops' };
const read = (more: object) =>
  readProfile('p.json', Buffer.from(JSON.stringify({ ...facts, settings: {}, ...more }, null, 2)));

test('a profile has facts, and the entries of a policy', () => {
  const { profile, problems } = read({
    $schema: 'profile.schema.json',
    notBefore: '2026-11-01T00:00:00Z',
    notAfter: '2027-11-01T00:00:00+01:00',
    strict: true,
    settings: {
      downgrade: { value: 'refuse', lock: 'locked', reason: 'names stay private' },
      'queryLog.mode': { value: 'counts', lock: 'hidden' },
      'cache.entries': { value: 100, lock: 'default' },
      consent: { value: 'administrator', lock: true },
    },
  });
  expect(problems).toEqual([]);
  expect(profile).toMatchObject({ ...facts, strict: true });
  expect(profile?.entries.map(({ key, lock, hidden }) => [key, lock, hidden])).toEqual([
    ['downgrade', true, false],
    ['queryLog.mode', true, true],
    ['cache.entries', false, false],
    ['consent', true, false],
  ]);
});

test('a key with an error is told with its line, and the others are read', () => {
  const { profile, problems, unreadLocks } = read({
    settings: {
      downgrad: { value: 'refuse', lock: 'locked' },
      'cache.entries': { value: -1 },
      rungs: { value: [], lock: 'maybe' },
      consent: { value: 'administrator' },
    },
  });
  expect(profile?.entries.map(({ key }) => key)).toEqual(['consent']);
  expect(problems.map(({ path, line }) => [path, line])).toEqual([
    ['settings.downgrad', 7],
    ['settings["cache.entries"].value', 12],
    ['settings.rungs.lock', 16],
  ]);
  expect(unreadLocks).toEqual(['downgrad', 'rungs']);
});

test.each([
  ['', /the file is empty/],
  ['{', /not valid JSON/],
  ['[]', /expected object/],
  ['{"id": "a", "id": "b"}', /there twice \(first in line 1\)/],
  ['['.repeat(100_000), /nested too deeply|not valid JSON/],
  [JSON.stringify({ ...facts, settings: {}, more: 1 }), /unknown field/],
  [JSON.stringify({ ...facts, settings: {}, serial: 0 }), /expected number to be >=1/],
  [JSON.stringify({ ...facts, settings: {}, serial: 1.5 }), /expected int/],
  [JSON.stringify({ ...facts, settings: {}, serial: 2 ** 60 }), /expected int|Too big/],
  [JSON.stringify({ ...facts, settings: {}, id: '../../etc' }), /an id has letters/],
  [JSON.stringify({ ...facts, settings: {}, issuer: 'Exam\u202eple' }), /nobody sees/],
  [JSON.stringify({ ...facts, settings: {}, issuer: ' Example' }), /begins or ends with a space/],
  [JSON.stringify({ ...facts, settings: {}, name: 'two\nlines' }), /nobody sees/],
  [JSON.stringify({ ...facts, settings: {}, notAfter: 'tomorrow' }), /datetime/],
  [JSON.stringify({ ...facts, settings: [] }), /expected record/],
  [
    JSON.stringify({
      ...facts,
      settings: {},
      notBefore: '2027-01-01T00:00:00Z',
      notAfter: '2026-01-01T00:00:00Z',
    }),
    /never hold/,
  ],
])('%.60s is no profile', (text, reason) => {
  const { profile, problems } = readProfile('p.json', Buffer.from(text));
  expect(profile).toBeNull();
  expect(problems[0]?.reason).toMatch(reason);
});

test('a profile that is not UTF-8 is told so, with its line', () => {
  const { profile, problems } = readProfile('p.json', Buffer.from('{\n"name": "\xff"}', 'latin1'));
  expect(profile).toBeNull();
  expect(problems).toEqual([
    { file: 'p.json', path: '', line: 2, reason: 'it is not UTF-8; save it again as UTF-8' },
  ]);
});
