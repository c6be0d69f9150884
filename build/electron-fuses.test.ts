import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { setFuses } from './electron-fuses.ts';

/** The marker before the fuses in the binary, as in @electron/fuses. */
const sentinel = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';

test.each([
  ['45, which has eight', '10011001', '01001100'],
  ['22, which has six', '100110', '010011'],
])(
  'of Electron %s: no Node, no options, no inspector, no other application, no file:// that reads others',
  async (_version, before, after) => {
    const folder = mkdtempSync(join(tmpdir(), 'sotto-fuses-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const binary = join(folder, 'electron');
    const head = Buffer.from(`program ${sentinel}`);
    writeFileSync(
      binary,
      Buffer.concat([head, Buffer.from([1, before.length]), Buffer.from(`${before} program`)]),
    );
    await setFuses(binary);
    expect(
      readFileSync(binary)
        .subarray(head.length + 2)
        .toString(),
    ).toBe(`${after} program`);
  },
);
