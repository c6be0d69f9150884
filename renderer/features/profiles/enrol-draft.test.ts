import { expect, test } from 'vitest';
import {
  commandOf,
  digitsIn,
  draftFrom,
  missingParts,
  paramsOf,
  problemsOf,
  sortFiles,
} from './enrol-draft.ts';

const source = 'https://it.example.com/corp.json';
const fingerprint = 'AB12 '.repeat(16);
const digits = 'ab12'.repeat(16);
const file = (name: string, content: string | Uint8Array<ArrayBuffer> = name) =>
  new File([content], name);

test('a link fills in everything but the fingerprint, and no grant that there is not', () => {
  const asked = new URLSearchParams({ source, ring: 'canary', allow: 'log,all', fingerprint });
  expect(draftFrom(asked)).toMatchObject({
    ...{ way: 'address', source, ring: 'canary', address: '', fingerprint: '' },
    grants: ['log'],
  });
});

test.each([
  ['nothing', {}, ['source', 'fingerprint']],
  ['an address that is not encrypted', { source: 'http://a.example/p' }, ['source', 'fingerprint']],
  ['63 digits', { source, fingerprint: digits.slice(1) }, ['fingerprint']],
  ['all', { source: ` ${source} `, fingerprint }, []],
  ['a file’s address', { source: 'file:///srv/corp.json', fingerprint }, []],
  ['files of which one is missing', { way: 'files', fingerprint }, ['files']],
] as const)('with %s the problems are told', (_what, filled, problems) => {
  expect(problemsOf({ ...draftFrom(new URLSearchParams()), ...filled })).toEqual(problems);
});

test('digits are counted as they are typed', () => {
  expect([digitsIn(''), digitsIn('ab 1'), digitsIn('ab:12-cd'), digitsIn('a'.repeat(99))]).toEqual([
    0, 3, 6, 64,
  ]);
});

test('what was filled in is sent, and nothing else', async () => {
  const draft = { ...draftFrom(new URLSearchParams({ source, ring: ' ' })), fingerprint };
  expect(await paramsOf(draft)).toEqual({ source, fingerprint: digits, grants: [] });
  const more = { ...draft, address: '192.0.2.80', ring: 'canary', files: { key: file('a.pub') } };
  expect(await paramsOf(more)).toEqual({
    ...{ source, fingerprint: digits, grants: [] },
    ...{ address: '192.0.2.80', ring: 'canary', key: 'a.pub' },
  });
});

test('files are told apart by their names, and sent octet by octet', async () => {
  const octets = new Uint8Array(100_000).map((_, at) => at % 256);
  const files = sortFiles([
    file('corp.pub', 'key'),
    file('corp.json', octets),
    file('corp.json.minisig', 'signature'),
  ]);
  expect(missingParts(files)).toEqual([]);
  expect(missingParts(sortFiles([file('corp.json')]))).toEqual(['signature', 'key']);
  const draft = { ...draftFrom(new URLSearchParams()), way: 'files' as const, files, fingerprint };
  const params = await paramsOf(draft);
  expect(params).toMatchObject({ signature: 'signature', key: 'key', fingerprint: digits });
  const sent = 'profile' in params ? atob(params.profile) : '';
  expect(sent).toHaveLength(octets.length);
  expect(octets.every((octet, at) => sent.charCodeAt(at) === octet)).toBe(true);
  const tooLarge = sortFiles([
    file('a.json', 'x'.repeat(700_001)),
    file('a.pub'),
    file('a.minisig'),
  ]);
  expect(problemsOf({ ...draft, files: tooLarge })).toEqual(['files']);
});

test('an administrator’s command has the same, and nothing that a shell carries out', () => {
  const draft = {
    ...draftFrom(
      new URLSearchParams({ source: "https://a.example/p.json?a=';reboot", ring: '$(id)' }),
    ),
    fingerprint,
  };
  expect(commandOf({ ...draft, grants: ['log', 'bypass'] }, 'FILE')).toBe(
    `sudo sotto profile enrol 'https://a.example/p.json?a='\\'';reboot' --ring '$(id)' --allow log,bypass --fingerprint ${digits}`,
  );
  const files = sortFiles([file('corp.json'), file('a b.pub')]);
  expect(commandOf({ ...draft, way: 'files', ring: '', files }, 'FILE')).toBe(
    `sudo sotto profile enrol corp.json --key 'a b.pub' --fingerprint ${digits}`,
  );
});
