/** `npm run demo`, as a new user runs it. */
import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { root } from '../../build/places.mjs';
import { describeWith } from '../rig/available.ts';
import { labForTest } from '../rig/lab.ts';
import { Program } from '../rig/process.ts';

describeWith(['sotto', 'sotto-server'], 'the demo', () => {
  for (const ending of ['by itself', 'by Ctrl-C'] as const) {
    it(`shows responses over TLS, ends ${ending} and leaves nothing running`, async () => {
      const lab = await labForTest();
      const mark = randomUUID();
      const seconds = ending === 'by itself' ? ['--seconds', '3'] : [];
      const demo = lab.adopt(
        await Program.start(process.execPath, ['build/demo.ts', ...seconds], {
          cwd: root,
          env: { SOTTO_E2E_MARK: mark },
        }),
      );
      await demo.line(/tdns/);
      await demo.line(/cached/);
      expect(await programsWith(mark)).not.toEqual([]);
      if (ending === 'by Ctrl-C') demo.signal('SIGINT');
      expect(await demo.exited).toEqual({ code: 0, signal: null });
      expect(demo.stdout).toMatch(/(\d+) of \1 answered/);
      expect(await programsWith(mark)).toEqual([]);
    });
  }
});

/** Process ids whose environment has the mark; none where there is no /proc. */
async function programsWith(mark: string): Promise<string[]> {
  const ids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry));
  const marked = await Promise.all(
    ids.map(async (id) => {
      const environment = await readFile(`/proc/${id}/environ`, 'latin1').catch(() => '');
      return environment.includes(mark);
    }),
  );
  return ids.filter((_, index) => marked[index]);
}
