/** Many bypass rules as one: what leaves in cleartext, what the ledger says of it, and what a change of the list opens anew. */
import { beforeAll, expect, it } from 'vitest';
import type { LedgerEntry } from '../../app/contract/protection/ledger-entry.ts';
import { rulesInList } from '../../app/contract/protection/list-word.ts';
import type { ResultOf } from '../../app/contract/service-api.ts';
import { describeWith } from '../rig/available.ts';
import { dig } from '../rig/dig.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { PlainTap } from '../rig/peers/plain-tap.ts';
import { SottoServer } from '../rig/peers/sotto-server.ts';
import { text } from '../rig/raw-client.ts';
import { type SettingsFile, SottoService } from '../rig/sotto-service.ts';
import { writeZone } from '../rig/zones/zone-file.ts';
import { digInTime } from './stage.ts';

const names = 5000;
const internal = 'corp.example';

describeWith(['sotto', 'sotto-server', 'dig'], 'with more bypass rules than leases', () => {
  const lab = labForFile();
  let tap: PlainTap;
  let settings: SettingsFile;
  let service: SottoService;
  beforeAll(async () => {
    const far = await SottoServer.start(lab);
    const { file } = await writeZone(lab, internal, ['* A 10.1.2.3']);
    const plain = await SottoServer.start(lab, { answers: file });
    tap = await PlainTap.start(lab, plain.starttls);
    settings = {
      upstreams: [far.upstream('far')],
      bypass: Array.from({ length: names }, (_, number) => ({
        suffix: `h${number}.${internal}`,
        to: [text(tap.endpoint)],
      })),
    };
    service = await SottoService.start(lab, settings);
  });

  async function entries(): Promise<LedgerEntry[]> {
    const { stdout } = await service.cli('ledger', '--json');
    return stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as LedgerEntry);
  }

  async function rulesOf(list: string): Promise<string[]> {
    return (await service.cli('ledger', '--rules', list)).stdout.trimEnd().split('\n');
  }

  it('has one entry, which tells every rule', async () => {
    const [entry, ...others] = await entries();
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      class: 'bypass',
      reason: `${names} bypass rules to ${text(tap.endpoint)}`,
      who: 'your settings',
      closed: null,
    });
    expect(rulesInList(entry?.rule ?? '')).toBe(names);
    const rules = await rulesOf(entry?.rule ?? '');
    expect(rules).toHaveLength(names);
    expect(rules[4711]).toBe(`h4711.${internal}`);
    const { inForce } = await service.call('rule.list', {});
    expect(inForce.map(({ rule }) => rule)).toEqual(rules);
  });

  it('sends only their names, counts them, and names the one rule', async () => {
    const asked = await digInTime(service.v4, `www.h4711.${internal}`);
    expect(asked).toMatchObject({ status: 'NOERROR', answers: ['A 10.1.2.3'] });
    expect((await digInTime(service.v4, `xh4711.${internal}`)).status).toBe('REFUSED');
    expect(tap.names.every((name) => name.endsWith(`h4711.${internal}`))).toBe(true);
    expect(tap.names).not.toContain(`xh4711.${internal}`);
    await expect
      .poll(() => service.logged(`www.h4711.${internal}`))
      .toMatchObject({ outcome: 'bypassed', clear: 'bypass', rule: `h4711.${internal}` });
    const said = await service.json<ResultOf<'rule.explain'>>('rule', 'explain', `h17.${internal}`);
    expect(said).toMatchObject({
      verdict: 'bypass',
      rule: `h17.${internal}`,
      origin: { from: 'settings' },
    });
    await eventually('they are counted', async () => {
      const [entry] = await entries();
      return entry?.count === tap.names.length;
    });
  });

  it('opens an entry of its own for a list with another name, before the name leaves', async () => {
    const [before] = await entries();
    const added = { suffix: `added.${internal}`, to: [text(tap.endpoint)] };
    const bypass = [...(settings['bypass'] as object[]), added];
    await service.apply({ ...settings, bypass });
    await eventually('it is answered', async () => {
      return (await dig(service.v4, `added.${internal}`)).status === 'NOERROR';
    });
    const found = await entries();
    expect(found.map(({ closed }) => closed === null)).toEqual([false, true]);
    expect(found[0]).toMatchObject({ id: before?.id, rule: before?.rule });
    expect((await rulesOf(found[1]?.rule ?? '')).at(-1)).toBe(added.suffix);
    expect(await rulesOf(before?.rule ?? '')).toHaveLength(names);
  });
});
