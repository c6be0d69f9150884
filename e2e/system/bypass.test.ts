/** Split horizon: only what may go in cleartext does, and its responses are checked. */

import { beforeAll, expect, it } from 'vitest';
import type { Finding } from '../../app/contract/status/finding.ts';
import { describeWith } from '../rig/available.ts';
import { dig } from '../rig/dig.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { Nsd } from '../rig/peers/nsd.ts';
import { PlainTap } from '../rig/peers/plain-tap.ts';
import { Unbound } from '../rig/peers/unbound.ts';
import { freePort } from '../rig/ports.ts';
import { text } from '../rig/raw-client.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { garden, plant } from '../rig/zones/garden.ts';
import { corp, corpZone, deep, deepZone } from '../rig/zones/internal.ts';
import type { Zone } from '../rig/zones/zone-file.ts';
import { digInTime, openStage, type Stage, trusting, upstream } from './stage.ts';

describeWith(['sotto', 'nsd', 'unbound', 'openssl', 'dig'], 'with bypass rules', () => {
  const lab = labForFile();
  let stage: Stage;
  let corpTap: PlainTap;
  let deepTap: PlainTap;
  let service: SottoService;
  beforeAll(async () => {
    stage = await openStage(lab);
    corpTap = await tapInFrontOf(await corpZone(lab));
    deepTap = await tapInFrontOf(await deepZone(lab));
    service = await SottoService.start(lab, {
      upstreams: [upstream('far', 'dot', stage.unbound.tls, trusting(stage))],
      bypass: [
        { suffix: corp, to: [text(corpTap.endpoint)] },
        { suffix: deep, to: [text(deepTap.endpoint)] },
      ],
    });
  });

  async function tapInFrontOf(zone: Zone): Promise<PlainTap> {
    return await PlainTap.start(lab, (await Nsd.start(lab, { zones: [zone] })).plain);
  }

  it('an internal name goes to its resolver, in cleartext, and is counted as such', async () => {
    const response = await digInTime(service.v4, `host.${corp}`);
    expect(response).toMatchObject({ status: 'NOERROR', answers: ['A 10.1.2.3'] });
    await expect
      .poll(() => service.logged(`host.${corp}`))
      .toMatchObject({ outcome: 'bypassed', clear: 'bypass', rule: corp, transport: 'udp' });
    const { clear } = await service.status();
    const entry = clear.find(({ rule }) => rule.includes(corp) && !rule.includes(deep));
    expect(entry).toMatchObject({ class: 'bypass', closed: null });
    expect(entry?.count).toBeGreaterThan(0);
  });

  it('the longest suffix wins', async () => {
    expect(await digInTime(service.v4, `host.${deep}`)).toMatchObject({ answers: ['A 10.9.9.9'] });
    expect(deepTap.names).toContain(`host.${deep}`);
    expect(corpTap.names).not.toContain(`host.${deep}`);
  });

  it('nothing else goes in cleartext, not even a name with a similar ending', async () => {
    for (const name of [plant(1), `not${corp}`, `${corp}.${garden}`]) await dig(service.v4, name);
    const internal = (name: string) => name === corp || name.endsWith(`.${corp}`);
    expect([...corpTap.names, ...deepTap.names].filter((name) => !internal(name))).toEqual([]);
    const { clear } = await service.status();
    expect(clear.map((entry) => entry.class)).toEqual(['bypass', 'bypass']);
  });

  it('each query in cleartext comes from a port of its own', async () => {
    const before = corpTap.clientPorts.size;
    for (const number of [1, 2, 3, 4, 5, 6, 7, 8]) await dig(service.v4, `port${number}.${corp}`);
    expect(corpTap.clientPorts.size - before).toBeGreaterThan(4);
  });

  it('a public alias into the internal zone is not followed', async () => {
    const before = corpTap.names.length;
    const response = await dig(service.v4, `leak.${garden}`);
    expect(response.answers.filter((answer) => answer.startsWith('A '))).toEqual([]);
    expect(response.status).not.toBe('NOERROR');
    expect(corpTap.names.slice(before)).toEqual([]);
  });

  it('an internal alias to a public name is followed, and the public name stays private', async () => {
    const response = await digInTime(service.v4, `outside.${corp}`);
    const direct = await digInTime(service.v4, plant(1));
    expect(response.status).toBe('NOERROR');
    expect(response.answers).toEqual([`CNAME ${plant(1)}.`, ...direct.answers]);
    expect(direct.answers.length).toBeGreaterThan(0);
    expect(response.flags).not.toContain('ad');
    expect(corpTap.names).not.toContain(plant(1));
    await expect
      .poll(() => service.logged(`outside.${corp}`))
      .toMatchObject({ outcome: 'bypassed' });
  });

  for (const [name, type] of [
    ['rebind', 'A'],
    ['rebind', 'AAAA'],
    ['selfish', 'A'],
  ] as const) {
    it(`a public name with a private address is refused: ${name} ${type}`, async () => {
      const response = await digInTime(service.v4, `${name}.${garden}`, type);
      expect(response.answers).toEqual([]);
      expect(response.extendedError?.text).toMatch(/private|loopback|local/i);
      await expect
        .poll(() => service.logged(`${name}.${garden}`))
        .toMatchObject({ outcome: 'refused' });
    });
  }

  it('a name that is often refused for this is listed by the doctor, with the setting that allows it', async () => {
    const name = `rebind.${garden}`;
    for (let times = 0; times < 5; times += 1) {
      const response = await digInTime(service.v4, name);
      expect(response.extendedError?.text).toContain('allowPrivate');
    }
    await eventually('the refusals are in the log', async () => {
      return (await service.log({ name, outcome: 'refused' })).length >= 5;
    });
    const { stdout } = await service.cli('doctor', '--json');
    const found = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Finding)
      .filter(({ check }) => check === 'rebinding');
    expect(found).toMatchObject([
      { verdict: 'warn', subject: name, remedy: expect.stringContaining('"allowPrivate"') },
    ]);
  });

  it('a resolver that leads back to Sotto is detected and gets no more queries', async () => {
    const port = await freePort();
    const circle = await Unbound.start(lab, {
      identity: stage.identity,
      stubs: {},
      forward: { address: '127.0.0.1', port },
    });
    const looping = await SottoService.start(
      lab,
      {
        upstreams: [upstream('far', 'dot', stage.unbound.tls, trusting(stage))],
        bypass: [{ suffix: 'circle.example', to: [text(circle.plain)] }],
      },
      port,
    );
    let asked = 0;
    // The search for a loop gives up soon, and begins with a query that was not answered.
    await eventually('the loop is a health issue', async () => {
      const { status } = await dig(looping.v4, `n${asked++}.circle.example`);
      expect(status).toBe('SERVFAIL');
      return (await looping.status()).health.some(({ code }) => code === 'bypass-loop');
    });
    const response = await dig(looping.v4, 'round.circle.example');
    expect(response.status).toBe('SERVFAIL');
    expect(response.extendedError?.text).toMatch(/loop|circle|back/i);
    expect(await looping.logged('round.circle.example')).toMatchObject({ outcome: 'refused' });
    await looping.stop();
  });
});
