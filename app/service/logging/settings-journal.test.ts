import { expect, test } from 'vitest';
import type { SettingSource, SettingSources } from '../settings/settings-layers.ts';
import type { Problem } from '../settings/settings-text.ts';
import { createSettingsJournal } from './settings-journal.ts';

const file = '/etc/sotto/policy.d/corp.json';
const sound = { problems: [], policyProblems: [], vanished: [], held: [], unread: [] };

function problem(path: string, line: number): Problem {
  return { file, path, line, reason: 'hush.example is no policy' };
}

function journal() {
  const told: unknown[][] = [];
  const note = (event: string, fields: object) => told.push([event, fields]);
  return { told, settings: createSettingsJournal({ note }) };
}

test('an error is told by file, line and field, once, and so is its end', () => {
  const { told, settings } = journal();
  const downgrade = problem('settings.downgrade.value', 3);
  settings.found({ ...sound, policyProblems: [downgrade] });
  settings.found({ ...sound, policyProblems: [downgrade, problem('settings.listen.lock', 5)] });
  settings.found({ ...sound, problems: [{ ...problem('cache', 1), file: '/settings.json' }] });
  settings.found(sound);
  expect(told).toEqual([
    ['policy-error', { file, line: 3, field: 'settings.downgrade.value' }],
    ['policy-error', { file, line: 5, field: 'settings.listen.lock' }],
    ['settings-error', { file: '/settings.json', line: 1, field: 'cache' }],
    ['policy-error-over', { file }],
  ]);
  expect(JSON.stringify(told)).not.toMatch(/hush/);
});

test('a file that is gone is told once', () => {
  const { told, settings } = journal();
  settings.found({ ...sound, vanished: [file] });
  settings.found({ ...sound, vanished: [file] });
  expect(told).toEqual([['file-vanished', { file }]]);
});

test('what an error leaves in force is told once, and a lock that could never be read', () => {
  const { told, settings } = journal();
  const held = [{ file, settings: ['downgrade' as const] }];
  settings.found({ ...sound, held });
  settings.found({ ...sound, held: structuredClone(held), unread: [file] });
  settings.found({ ...sound, unread: [file] });
  expect(told).toEqual([
    ['policy-held', { file, settings: ['downgrade'] }],
    ['policy-unread', { file }],
  ]);
});

test('another value of a lock is told, without the value', () => {
  const { told, settings } = journal();
  for (const value of ['refuse', 'fallback', 'fallback'])
    settings.inForce(sources({ downgrade: true }, value));
  const inForce = ['policy-in-force', { file, settings: ['downgrade'], locked: ['downgrade'] }];
  expect(told).toEqual([inForce, inForce]);
});

function sources(decided: Record<string, boolean>, value?: string): SettingSources {
  const policies = Object.entries(decided).map(([key, locked]) => [
    key,
    { layer: 'policy', file, locked, entry: { value } } as SettingSource,
  ]);
  return Object.fromEntries([...policies, ['listen', { layer: 'default', file: null }]]);
}

test('what a policy decides and locks is told when it changes', () => {
  const { told, settings } = journal();
  settings.inForce(sources({ downgrade: true, 'cache.entries': false }));
  settings.inForce(sources({ downgrade: true, 'cache.entries': false }));
  settings.inForce(sources({ downgrade: false }));
  settings.inForce(sources({}));
  expect(told).toEqual([
    ['policy-in-force', { file, settings: ['downgrade', 'cache.entries'], locked: ['downgrade'] }],
    ['policy-in-force', { file, settings: ['downgrade'], locked: [] }],
    ['policy-ended', { file }],
  ]);
});
