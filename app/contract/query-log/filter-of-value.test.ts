import { expect, it } from 'vitest';
import { filterOfValue } from './filter-of-value.ts';
import type { TopKind } from './log-api.ts';

it.each<[TopKind, string, string | null]>([
  ['domain', 'example.com', 'name:example.com,*.example.com'],
  ['domain', 'EXAMPLE.com', 'name:example.com,*.example.com'],
  ['domain', 'localhost', 'name:localhost,*.localhost'],
  ['domain', '.', 'name:.'],
  ['domain', 'a\\032b.example', 'name:a\\032b.example,*.a\\032b.example'],
  ['program', 'firefox', 'program:firefox'],
  ['program', 'Web Content', 'program:"web content"'],
  ['program', 'a"b', 'program:"a\\"b"'],
  ['program', '-x', 'program:-x'],
  ['program', 'a,b', 'program:"a,b"'],
  ['client', '2001:db8::1', 'client:2001:db8::1'],
])('finds the %s %s with %s', (kind, value, filter) => {
  expect(filterOfValue(kind, value)).toBe(filter);
});

it.each<[TopKind, string]>([
  ['domain', '*.example.com'],
  ['domain', 'a?.example'],
  ['program', 'what*'],
  ['program', 'x'.repeat(3000)],
  ['domain', 'trailing.example.'],
])('offers no filter for the %s %s, because none would find it alone', (kind, value) => {
  expect(filterOfValue(kind, value)).toBeNull();
});
