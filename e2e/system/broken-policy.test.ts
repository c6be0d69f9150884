/**
 * A policy file with an error: the real service reports it by its commands, its status and its journal, and holds what it said
 * before.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { describeWith } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { SottoService } from '../rig/sotto-service.ts';

describeWith(['sotto'], 'a machine policy that is broken', () => {
  const lab = labForFile();

  /** Upstreams that refuse at once, because "doctor" would wait for the default ones. */
  const nobody = { id: 'nobody', transport: 'dot', address: ['127.0.0.1:9'], name: 'x.example' };

  async function start(settings: object = {}) {
    const service = await SottoService.start(lab, {
      bypass: [],
      upstreams: [nobody],
      ...settings,
    });
    onTestFinished(async () => void (await service.stop()));
    const folder = join(service.home, 'policy.d');
    await mkdir(folder);
    return { service, folder, file: join(folder, '10.json') };
  }

  const lock = (value: unknown) => ({ value, lock: true });
  const corp = {
    name: 'Example Corp',
    settings: {
      downgrade: lock('refuse'),
      bypass: lock([{ suffix: 'corp.example', to: ['192.0.2.1'] }]),
    },
  };

  const refusal = async (service: SottoService) =>
    (await service.cli('config', 'set', 'downgrade', 'fallback')).stderr;

  const issue = async (service: SottoService) =>
    (await service.status()).health.find(({ code }) => code === 'policy-file-invalid');

  /** All complete lines of the journal. */
  const journal = ({ output }: SottoService) =>
    output
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  const all = ['downgrade', 'bypass'];
  const breakages: Record<
    string,
    [text: string | Buffer, line: number, field: string, held: string[]]
  > = {
    'cut off': ['{\n"name": "Example Corp",\n"settings": {', 3, '', all],
    emptied: ['', 1, '', all],
    'saved in another encoding': [Buffer.from('{\n"name": "\xDCber"}', 'latin1'), 2, '', all],
    'given a wrong value': [
      '{"name": "Example Corp", "settings": {\n"downgrade": {\n"value": "refuze", "lock": true}}}',
      3,
      'settings.downgrade.value',
      all,
    ],
    'given a value that fits nowhere': [
      JSON.stringify(corp).replace('"suffix":"corp.example"', '\n"suffix":"com"'),
      2,
      'settings.bypass.value[0].suffix',
      ['bypass'],
    ],
  };
  for (const [what, [text, line, field, held]] of Object.entries(breakages))
    it(`${what} keeps its locks, is reported with file, line and field, also after a restart`, async () => {
      const { service, file } = await start();
      await writeFile(file, JSON.stringify(corp));
      // A change is refused as soon as the file exists; its earlier content is held once it is in force.
      await eventually('it is in force', () =>
        journal(service).some(({ event }) => event === 'policy-in-force'),
      );
      expect(await refusal(service)).toContain('Example Corp');
      await writeFile(file, text);
      const named = field === '' ? '' : ` ${field}:`;
      const place = `${file}, line ${line}:${named} `;
      const holdsAndTells = async () => {
        const isTold = async () => (await issue(service))?.text.includes(place);
        await eventually('status tells it', isTold);
        expect((await service.cli('status')).stdout).toContain(`\n  ${place}`);
        const { stdout } = await service.cli('doctor');
        const findings = stdout.match(/^fail {2}policy-file-invalid .*$/gm);
        expect(findings).toEqual([expect.stringContaining(place)]);
        // What it writes there comes beside what it says elsewhere.
        const error = { event: 'policy-error', level: 'error', file, line, field };
        const kept = { event: 'policy-held', level: 'warn', file, settings: held };
        for (const told of [error, kept])
          await expect.poll(() => journal(service)).toContainEqual(expect.objectContaining(told));
        expect(await refusal(service)).toContain(`"downgrade" is locked by Example Corp (${file})`);
        const wanted = ['config', 'set', 'bypass', '[]'];
        expect((await service.cli(...wanted)).stderr).toContain('is locked by Example Corp');
      };
      await holdsAndTells();
      await service.kill();
      await service.restart();
      await holdsAndTells();
      const checked = await service.cli('config', 'check', file);
      expect(checked.code).toBe(2);
      expect(checked.stderr).toContain(`${file}:${line}:${named} `);
    });

  it('from the beginning locks refuse, until it is corrected', async () => {
    const { service, file } = await start({ downgrade: 'fallback' });
    const policy = async () => (await service.status()).groups[0]?.policy;
    expect(await policy()).toBe('fallback');
    await service.stop();
    await writeFile(file, '{\n"name": "Example Corp"');
    await service.restart();
    expect(await policy()).toBe('refuse');
    expect(await refusal(service)).toContain(`is locked by 10.json (${file})`);
    expect((await issue(service))?.text).toContain(`${file}, line 2: not valid JSON`);
    await expect
      .poll(() => journal(service))
      .toContainEqual(expect.objectContaining({ event: 'policy-unread', level: 'error', file }));
    await writeFile(file, JSON.stringify({ ...corp, settings: {} }));
    await eventually('it is corrected', async () => (await policy()) === 'fallback');
    await expect.poll(() => issue(service)).toBeUndefined();
  });
});
