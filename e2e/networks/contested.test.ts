/** Somebody else changes whom the machine's programs ask: a DHCP server, a router, a VPN client, a script. */
import { expect, it } from 'vitest';
import type { SystemDnsDetails } from '../../app/contract/system-dns.ts';
import { eventually } from '../system/eventually.ts';
import { type Lab, labForTest } from '../system/lab.ts';
import { AskingProgram } from './asking-program.ts';
import { describeInNetworks } from './available.ts';
import { Gate } from './gate.ts';
import { Helper } from './helper.ts';
import { InstalledService } from './installed-service.ts';
import { gateway } from './local-network.ts';
import { World } from './world.ts';

/** What is asked before the gate is closed: the first overwrite's own moment. */
const firstMomentMs = 50;

describeInNetworks(['sotto', 'nft'], 'a contested system DNS', () => {
  it('is told again for ever under refuse, and nothing goes past it meanwhile', async () => {
    const lab = await labForTest();
    const { world, sotto, gate } = await open(lab, 'refuse');
    const asking = await AskingProgram.start(lab, world.client, 'fought');
    await asking.more(10);
    const begun = Date.now();
    for (let change = 1; change <= 12; change++) {
      await world.client.write('/etc/resolv.conf', `nameserver ${gateway.v4}\n# ${change}\n`);
      await asking.more(8);
    }
    await asking.stop();
    const leaked = asking.leaked(world.network.heard);
    console.log(
      leaked.map((at) => at - begun),
      asking.asked,
    );
    expect(leaked.filter((at) => at > begun + firstMomentMs)).toEqual([]);
    expect(await gate.isClosed()).toBe(true);
    await eventually('it is told again', async () => (await sotto.status()).taken);
    expect((await sotto.status()).contest).toMatchObject({ closed: true });
  });
});

async function open(lab: Lab, downgrade: 'refuse' | 'warn' | 'fallback') {
  const world = await World.open(lab);
  await Helper.start(lab, world.client);
  const gate = await Gate.start(lab, world.client);
  const service = await InstalledService.start(lab, world.client, {
    upstreams: world.internet.upstreams.slice(0, 1),
    systemResolvers: 'auto',
    downgrade,
  });
  await service.json('system', 'take');
  const sotto = {
    service,
    status: async () => {
      const { status } = await service.json<SystemDnsDetails>('system', 'status');
      if (status === null) throw new Error('this service knows no way to the system DNS');
      return status;
    },
  };
  return { world, sotto, gate };
}
