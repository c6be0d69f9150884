/**
 * An EncDNS upstream from the command line to the log: the service boxes names, a real resolver carries the boxes, and sotto-server
 * opens them.
 */
import { beforeAll, expect, it } from 'vitest';
import type { ServiceStats } from '../../app/contract/status/service-stats.ts';
import { describeWith } from '../rig/available.ts';
import { dig } from '../rig/dig.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import {
  type EncdnsServer,
  encdnsZone,
  startEncdnsServer,
  unboundBefore,
} from '../rig/peers/encdns-server.ts';
import { text } from '../rig/raw-client.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { zone as far, farZone, zoneAddress } from '../rig/zones/far.ts';

/** Nobody listens there. */
const nobody = { id: 'nobody', transport: 'dot', address: '127.0.0.1:9', name: 'dns.example' };

describeWith(['sotto', 'sotto-server', 'unbound', 'dig'], 'an EncDNS upstream', () => {
  const lab = labForFile();
  let server: EncdnsServer;
  beforeAll(async () => {
    server = await startEncdnsServer(lab, { answers: ['--zone', await farZone(lab)] });
  });

  it.each([
    ['leaves names as they are', 'use-caps-for-id: no'],
    ['gives letters a random case', 'use-caps-for-id: yes'],
    ['minimises names strictly', 'qname-minimisation-strict: yes'],
  ])('is added by its link, and answers through a resolver that %s', async (_what, line) => {
    const carrier = await unboundBefore(lab, server, line);
    const service = await SottoService.start(lab, { upstreams: [nobody], downgrade: 'refuse' });
    const added = await service.cli(
      'upstream',
      'add',
      server.url,
      '--at',
      '1',
      '--over',
      text(carrier),
    );
    expect(added).toMatchObject({ code: 0 });
    expect(added.stdout).toContain('hides what is asked from the resolver that carries it');
    await eventually('it answers', async () => {
      return (await dig(service.v4, `www.${far}`)).answers.includes(`A ${zoneAddress}`);
    });
    await expect
      .poll(() => service.logged(`www.${far}`))
      .toMatchObject({
        outcome: 'forwarded',
        transport: 'encdns',
        upstream: encdnsZone,
        clear: 'none',
      });
    await expect.poll(() => carrier.log()).toContain(encdnsZone);
    expect(carrier.log()).not.toContain(far);
    expect((await service.cli('ledger', '--json')).stdout).toBe('');
    const probes = async () => {
      const { ownProbes } = await service.json<ServiceStats>('stats');
      return ownProbes.find(({ kind }) => kind === 'encdns')?.count;
    };
    await expect.poll(probes).toBeGreaterThan(0);
    await expect
      .poll(async () => (await service.cli('upstream', 'test', encdnsZone)).stdout)
      .toMatch(/octets in a box, encdns:\/\/enc\.example\.? over udp/);
  });

  it('tells why no response comes, and asks nobody in cleartext', async () => {
    const carrier = await unboundBefore(lab, server);
    const upstreams = [
      {
        id: 'boxed',
        transport: 'encdns',
        zone: encdnsZone,
        key: 'f0'.repeat(32),
        address: text(carrier),
      },
    ];
    const service = await SottoService.start(lab, { upstreams, downgrade: 'refuse' });
    const responses: string[] = [];
    await eventually('the reason', async () => {
      responses.push((await dig(service.v4, `www.${far}`)).status);
      const [boxed] = (await service.status()).upstreams;
      const { outcome } = await service.logged(`www.${far}`);
      return boxed?.lastError?.code === 'encdns-not-carried' && outcome === 'refused';
    });
    expect(new Set(responses)).toEqual(new Set(['SERVFAIL']));
    expect(carrier.log()).not.toContain(far);
  });

  it('is refused where zone, key or carrier are wrong, and the settings stay', async () => {
    const service = await SottoService.start(lab, { upstreams: [nobody] });
    for (const [words, why] of [
      [[`encdns://${encdnsZone}?key=12`], '64 hexadecimal digits'],
      [[`encdns://${encdnsZone}?key=${'00'.repeat(32)}`], 'a point of low order'],
      [[server.url, '--over', 'upstream:gone'], 'there is no such upstream'],
      [[server.url, '--over', 'network', '--over', '127.0.0.1'], 'not an IP address'],
      [['quad9', '--over', 'network'], '--over belongs to the address of an EncDNS server'],
    ] as const) {
      const refused = await service.cli('upstream', 'add', ...words);
      expect(refused.code, words.join(' ')).not.toBe(0);
      expect(refused.stderr).toContain(why);
    }
    expect((await service.status()).upstreams.map(({ id }) => id)).toEqual(['nobody']);
  });
});
