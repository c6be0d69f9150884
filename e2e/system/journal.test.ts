/** The journal of the real service has the events that an administrator searches for, and no queried name in any octet. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { journalEvents } from '../../app/contract/journal.ts';
import { describeWith } from '../rig/available.ts';
import { dig } from '../rig/dig.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { garden, plant } from '../rig/zones/garden.ts';
import { netZone } from '../rig/zones/internal.ts';
import { openStage, type Stage, trusting, upstream } from './stage.ts';

describeWith(['sotto', 'nsd', 'unbound', 'openssl', 'dig'], 'the journal', () => {
  const lab = labForFile();
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(lab, [await netZone(lab)]);
  });

  it('has what happened to the service, and no queried names', async () => {
    const far = upstream('far', 'dot', stage.unbound.tls, trusting(stage));
    const impostor = { ...far, id: 'impostor', name: 'somebody.else.example' };
    const service = await SottoService.start(lab, {
      upstreams: [far],
      systemResolvers: ['127.0.0.9'],
    });
    const hasTold = (event: string, fields: object = {}) =>
      linesOf(service).some((line) => matches(line, { event, ...fields }));
    const tells = (event: string, fields: object = {}) =>
      eventually(event, () => hasTold(event, fields));
    const asked = [plant(1), `nothing.${garden}`, 'secret.test', 'secret.invalid'];
    const askAll = async () => {
      for (const name of asked) await dig(service.v4, name);
    };
    await askAll();
    await service.logged(plant(1));

    const policies = join(service.home, 'policy.d');
    const file = join(policies, 'corp.json');
    await mkdir(policies);
    await writeFile(file, '{"name": "Corp",\n "settings": {"cache.entries": {"value": -1}}}');
    await tells('policy-error', { file, line: 2, field: 'settings["cache.entries"].value' });

    await service.cli('log', 'erase', '--yes');
    await tells('query-log-erased');
    await service.cli('pause', '5m');
    await askAll();
    await tells('protection-switched', { to: 'paused' });
    await tells('cleartext-permitted', { class: 'paused' });
    await service.cli('on');
    await tells('cleartext-ended', { class: 'paused' });

    await service.apply({ upstreams: [impostor], systemResolvers: ['127.0.0.9'] });
    await eventually('authentication-failed', async () => {
      // It is found out when it is asked, if it answers in time.
      await askAll();
      return hasTold('authentication-failed', { upstream: 'impostor', code: 'certificate-name' });
    });
    await service.quit();

    const lines = linesOf(service);
    expect(lines.at(-1)).toMatchObject({ event: 'service-stopped' });
    for (const { event } of lines) expect(Object.keys(journalEvents)).toContain(event);
    for (const name of [...asked, garden]) expect(service.output).not.toContain(name);
  });
});

type Line = Record<string, unknown>;

/** All complete lines that it has written. */
function linesOf({ output }: SottoService): Line[] {
  return output
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);
}

function matches(line: Line, wanted: object): boolean {
  return Object.entries(wanted).every(([field, value]) => line[field] === value);
}
