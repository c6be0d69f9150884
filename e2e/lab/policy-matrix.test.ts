/** Eight cells of `npm run lab:policy`, which tries every policy against every fault: on the wire, what scenarios show inside the engine. */
import { beforeAll, expect, it } from 'vitest';
import { describeInLab } from '../rig/available.ts';
import { labForFile } from '../rig/lab.ts';
import { run } from '../rig/process.ts';
import { makeIdentities } from './policy-matrix/identities.ts';
import { allCells, runCells } from './policy-matrix/matrix.ts';
import type { Verdict } from './policy-matrix/verdict.ts';

const telling = [
  'fallback × service killed, guarded',
  'fallback × uncaught exception',
  'warn, allowed × engine panics',
  'refuse × black hole',
  'fallback × DoT blocked, over IPv6',
  'fallback × TLS stripped from the start',
  'warn, unanswered × TLS stripped',
  'warn, denied × wrong certificate',
];
/** Two cells at once, for machines with two cores. */
const atOnce = 2;
const script = new URL('./policy-matrix/run.ts', import.meta.url).pathname;

describeInLab(['sotto', 'sotto-server', 'openssl', 'dig'], 'what leaves in cleartext', () => {
  const lab = labForFile();
  const verdicts = new Map<string, Promise<Verdict>>();
  beforeAll(async () => {
    const cells = telling.map((title) => {
      const cell = allCells.find(({ policy, fault }) => `${policy.name} × ${fault.name}` === title);
      if (cell === undefined) throw new Error(`the matrix has no cell ${title}`);
      return cell;
    });
    const running = runCells(cells, await makeIdentities(lab), atOnce);
    for (const [index, title] of telling.entries())
      verdicts.set(title, running[index] as Promise<Verdict>);
  });

  for (const title of telling) {
    it(`is what the ledger counted, and what policy allows: ${title}`, async () => {
      const { problems, ...figures } = (await verdicts.get(title)) as Verdict;
      expect(problems, JSON.stringify(figures)).toEqual([]);
      expect(figures.answered).toBeGreaterThan(0);
    });
  }
});

describeInLab([], 'lab:policy', () => {
  it('refuses cells and options that it does not know', async () => {
    const policy = (...args: string[]) => run(process.execPath, [script, ...args]);
    const nothing = await policy('--only', 'no such thing');
    expect(nothing).toMatchObject({ code: 2, stderr: expect.stringContaining('no such cell') });
    expect(await policy('--only', 'refuse', '--write')).toMatchObject({ code: 2 });
    expect((await policy('--at-once', '0')).stderr).toContain('whole number');
  });
});
