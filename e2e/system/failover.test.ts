/** The order of upstreams: the first that can be reached privately gets the query, and a dead one may come back. */
import { beforeAll, expect, it } from 'vitest';
import { describeWith } from '../rig/available.ts';
import { dig } from '../rig/dig.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { StarttlsShim } from '../rig/peers/starttls-shim.ts';
import { Unbound } from '../rig/peers/unbound.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { garden, plant, plantAddress, plantCount } from '../rig/zones/garden.ts';
import { digInTime, openStage, type Stage, trusting, upstream } from './stage.ts';

describeWith(['sotto', 'nsd', 'unbound', 'openssl', 'dig'], 'upstreams', () => {
  const lab = labForFile();
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(lab);
  });

  const startUnbound = (ports?: { plain: Unbound['plain']; tls: Unbound['tls'] }) =>
    Unbound.start(lab, {
      identity: stage.identity,
      stubs: { [garden]: stage.nsd.plain },
      ...(ports && { ports }),
    });

  it('the second upstream responds where TLS is blocked for the first, which learns no name', async () => {
    const blocked = await StarttlsShim.start(lab, stage.unbound.tls, 'NO_TLS');
    const service = await SottoService.start(lab, {
      upstreams: [
        upstream('blocked', 'tdns', blocked.endpoint, trusting(stage)),
        upstream('open', 'dot', stage.unbound.tls, trusting(stage)),
      ],
    });
    for (const number of [1, 2, 3]) {
      const response = await digInTime(service.v4, plant(number));
      expect(response).toMatchObject({ status: 'NOERROR', answers: [`A ${plantAddress(number)}`] });
    }
    await expect
      .poll(() => service.logged(plant(3)))
      .toMatchObject({ upstream: 'open', transport: 'dot' });
    expect(blocked.visits.length).toBeGreaterThan(0);
    expect(blocked.clear.includes('plant')).toBe(false);
    await service.stop();
  });

  it('the first upstream is used again after it came back', async () => {
    const first = await startUnbound();
    const service = await SottoService.start(lab, {
      upstreams: [
        upstream('first', 'dot', first.tls, trusting(stage)),
        upstream('second', 'dot', stage.unbound.tls, trusting(stage)),
      ],
      cache: { entries: 0 },
    });
    let number = 10;
    // On a busy computer the one that is asked next may be sooner.
    async function answers(upstream: string): Promise<void> {
      for (let asked = ''; asked !== upstream; number += 1)
        asked = await whoAnswers(service, number % plantCount);
    }
    await answers('first');
    await first.stop();
    await answers('second');
    await startUnbound(first);
    await answers('first');
    await service.stop();
  });

  it('where the only upstream dies, the response is SERVFAIL with the reason until it is back', async () => {
    const lone = await startUnbound();
    const service = await SottoService.start(lab, {
      upstreams: [upstream('lone', 'dot', lone.tls, trusting(stage))],
    });
    expect(await whoAnswers(service, 100)).toBe('lone');
    await lone.stop('SIGKILL');
    const refused = await digInTime(service.v4, plant(101));
    expect(refused).toMatchObject({ status: 'SERVFAIL', answers: [] });
    expect(refused.extendedError?.code).toBe(22);
    expect(refused.extendedError?.text).toContain('lone');
    await eventually('it is told', async () => {
      return (await service.status()).protection.state === 'refusing';
    });
    await startUnbound(lone);
    await eventually('the upstream answers again', async () => {
      return (await dig(service.v4, plant(102))).status === 'NOERROR';
    });
    await eventually('it is private again', async () => {
      return (await service.status()).protection.state === 'private';
    });
    await service.stop();
  });

  it('any of several addresses is enough', async () => {
    const dead = await startUnbound();
    await dead.stop();
    const service = await SottoService.start(lab, {
      upstreams: [
        {
          ...upstream('both', 'dot', stage.unbound.tls, trusting(stage)),
          address: [`127.0.0.1:${dead.tls.port}`, `127.0.0.1:${stage.unbound.tls.port}`],
        },
      ],
    });
    expect(await whoAnswers(service, 110)).toBe('both');
    await service.stop();
  });
});

async function whoAnswers(service: SottoService, number: number): Promise<string> {
  const name = plant(number);
  expect((await digInTime(service.v4, name)).status).toBe('NOERROR');
  const { upstream } = await eventually(`${name} in the log`, async () => {
    return (await service.log({ name, outcome: 'forwarded' })).at(-1);
  });
  return upstream;
}
