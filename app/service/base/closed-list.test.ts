/** This folder is no place for whatever has none: what stands in it knows nothing of DNS, is used across folders, and is listed. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const folder = new URL('.', import.meta.url);
const sources = readdirSync(folder).filter((name) => !/(\.test|-fixture)\.ts$/.test(name));

test('a file is added here by adding it to this list', () => {
  expect(sources.sort()).toEqual([
    'bounded-file.ts',
    'durable-file.ts',
    'errno-words.ts',
    'give-back-memory.ts',
    'in-order.ts',
    'listeners.ts',
    'machine-clock.ts',
    'machine-id.ts',
    'once.ts',
    'one-or-many.ts',
    'open-to-write.ts',
    'private-database.ts',
    'private-folder.ts',
    'public-suffix-list.ts',
    'rewritten-database.ts',
    'shared-run.ts',
    'test-folder.ts',
    'tls-hello.ts',
    'trusted-authorities.ts',
    'version.ts',
  ]);
});

test.each(sources)('%s takes nothing of the other folders of the service', (name) => {
  const text = readFileSync(new URL(name, folder), 'utf8');
  expect(text.match(/from '\.\.\/(?!\.\.\/).*'/g)).toBeNull();
});
