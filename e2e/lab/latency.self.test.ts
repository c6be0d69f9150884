/** Measures and renders one cheap figure, once; the values do not matter here. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { compile } from '../../bench/compiler.ts';
import { describeInLab } from '../rig/available.ts';
import { labForTest } from '../rig/lab.ts';
import { burst } from './latency/figures/burst.ts';
import { sotto } from './latency/programs/sotto.ts';
import { gatherFacts } from './latency/report/run-facts.ts';
import { write } from './latency/report/write.ts';
import { measureAll } from './latency/rounds.ts';
import { ours, plainUdp } from './latency/rows.ts';

describeInLab(['sotto', 'sotto-server', 'openssl'], 'the latency lab', () => {
  it('measures a burst and writes text, figures and a picture', async () => {
    const lab = await labForTest();
    expect(await compile('paced')).toBeNull();
    const [result] = await measureAll({
      figures: [burst],
      programs: [sotto],
      rounds: 1,
      rttMs: 4,
      say: () => {},
    });
    expect(result?.failures).toEqual([]);
    expect(result?.cells.map(({ row, column }) => `${row}, ${column}`)).toEqual([
      `${plainUdp}, median response`,
      `${plainUdp}, last response`,
      `${ours}, median response`,
      `${ours}, last response`,
    ]);
    expect(result?.cells.every(({ median }) => median > 0 && Number.isFinite(median))).toBe(true);

    const facts = {
      ...(await gatherFacts([sotto])),
      rounds: 1,
      rttMs: 4,
      changedMeanwhile: false,
      minutes: 0,
    };
    const figuresFile = join(lab.directory, 'latency.json');
    const found = result === undefined ? [] : [result];
    const written = await write(lab.directory, figuresFile, facts, found);
    expect(written).toEqual(
      ['latency.md', 'latency.json', 'latency.svg'].map((name) => join(lab.directory, name)),
    );
    const [text = '', json = '', svg = ''] = await Promise.all(
      written.map((file) => readFile(file, 'utf8')),
    );
    expect(text).toContain('## 30 names at once');
    expect(JSON.parse(json)).toMatchObject({ figures: [{ id: 'burst', failures: [] }] });
    expect(svg).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
  });
});
