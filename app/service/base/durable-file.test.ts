import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type TestFolder, testFolder } from './test-folder.ts';

test('a disk that takes half of it leaves the old file, and nothing beside it', () => {
  const folder: TestFolder = testFolder();
  try {
    const file = folder.write('kept.json', 'old');
    const module = new URL('./durable-file.ts', import.meta.url);
    const program = `import { writeDurably } from ${JSON.stringify(module)};
      try { writeDurably(${JSON.stringify(file)}, 'x'.repeat(1_000_000)); console.log('written'); }
      catch ({ code }) { console.log(code); }`;
    // The largest file it may write has 8 blocks; what is beyond is refused, as on a disk with that much room.
    const ran = spawnSync('sh', ['-c', 'ulimit -f 8; exec "$0" "$@"', ...node, program], {
      encoding: 'utf8',
    });
    expect([ran.stdout.trim(), ran.stderr]).toEqual(['EFBIG', '']);
    expect(readFileSync(file, 'utf8')).toBe('old');
    expect(readdirSync(folder.path)).toEqual(['kept.json']);
  } finally {
    folder.remove();
  }
});

const node = [process.execPath, '--no-warnings', '--input-type=module', '--eval'];
