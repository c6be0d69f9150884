/** `npm run demo`, as a new user runs it. */
import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { root } from '../../build/places.mjs';
import { describeWith } from '../rig/available.ts';
import { eventually, patienceMs } from '../rig/eventually.ts';
import { labForTest } from '../rig/lab.ts';
import { Program, run } from '../rig/process.ts';
import { openBrowser } from '../ui/browser.ts';

/** Longer than a slow machine takes to start all of it, and to show what is waited for. */
const forSeconds = ['--seconds', '20'];

describeWith(['sotto', 'sotto-server'], 'the demo', () => {
  for (const ending of ['by itself', 'by Ctrl-C'] as const) {
    it(`shows responses over TLS, ends ${ending} and leaves nothing running`, async () => {
      const lab = await labForTest();
      const mark = randomUUID();
      const seconds = ending === 'by itself' ? forSeconds : [];
      const demo = lab.adopt(
        await Program.start(process.execPath, ['build/demo.ts', ...seconds], {
          cwd: root,
          env: { SOTTO_E2E_MARK: mark },
        }),
      );
      await demo.line(/tdns/);
      await demo.line(/cached/);
      if (ending === 'by Ctrl-C') {
        expect(await programsWith(mark)).not.toEqual([]);
        demo.signal('SIGINT');
      }
      expect(await demo.exited).toEqual({ code: 0, signal: null });
      expect(demo.stdout).toMatch(/(\d+) of \1 answered/);
      await nothingLeft(mark);
    });
  }

  it('shows EncDNS through a resolver that sees none of the names', async () => {
    const lab = await labForTest();
    const words = ['build/demo.ts', '--encdns', ...forSeconds];
    const demo = lab.adopt(await Program.start(process.execPath, words, { cwd: root }));
    await demo.line(/encdns/);
    expect(await demo.exited).toEqual({ code: 0, signal: null });
    expect(demo.stdout).toMatch(/(\d+) of \1 answered/);
    expect(demo.stdout).toMatch(
      /unbound carried [1-9]\d* boxes, and saw no name that was asked for|in boxes, through forwarder/,
    );
  });

  it('prints the address of the page, in which its queries arrive, and says how with --help', async () => {
    const lab = await labForTest();
    const mark = randomUUID();
    const demo = lab.adopt(
      await Program.start(process.execPath, ['build/demo.ts', '--window'], {
        cwd: root,
        env: { SOTTO_E2E_MARK: mark },
      }),
    );
    const [, file = ''] = await demo.line(/The page: (\S+)/);
    expect(await readFile(fileURLToPath(file), 'utf8')).toContain('http://127.0.0.1:');
    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      page.setDefaultTimeout(patienceMs);
      await page.goto(file);
      await page.waitForURL(
        ({ protocol, hash }) => protocol === 'http:' && !hash.startsWith('#code='),
      );
      await page.getByRole('link', { name: 'Queries', exact: true }).click();
      await page
        .getByRole('grid')
        .getByText(/\.example$/)
        .first()
        .waitFor();
    } finally {
      await browser.close();
    }
    demo.signal('SIGINT');
    expect(await demo.exited).toEqual({ code: 0, signal: null });
    await nothingLeft(mark);
    const help = await run(process.execPath, ['build/demo.ts', '--help'], { cwd: root });
    expect(help.stdout).toContain('npm run demo -- --window');
  });
});

/** A child of a program that was ended follows it a moment later. */
async function nothingLeft(mark: string): Promise<void> {
  await eventually('nothing is left', async () => (await programsWith(mark)).length === 0);
}

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
