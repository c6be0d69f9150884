/** A network watch that breaks down is reported, and nothing leaves under an earlier permission until it works again. */
import { constants } from 'node:os';
import { expect, it } from 'vitest';
import { describeInNetworks } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { labForTest } from '../rig/lab.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { DeafNetlink } from './deaf-netlink.ts';
import { gateway } from './local-network.ts';
import { NetworkStage } from './network-stage.ts';

const failure = constants.errno.EIO;
const inEachRound = Array.from({ length: 10 }, (_, number) => number);

/** The gateway refuses TLS, and TCP to a resolver, at once. */
const withoutPrivatePath = `nft add table inet lab
nft add chain inet lab through '{ type filter hook forward priority 0; }'
nft add rule inet lab through tcp dport '{ 53, 853 }' reject with tcp reset`;

describeInNetworks(['sotto', 'dig', 'nft'], 'a network watch that breaks down', () => {
  it('is reported, suspends what fallback permits, and is no longer reported once it works again', async () => {
    const lab = await labForTest();
    const stage = await NetworkStage.open(lab);
    const { client, network, internet } = stage;
    await network.namespace.run('sh', ['-ec', withoutPrivatePath]);
    const netlink = await DeafNetlink.create(lab);
    const settings = {
      upstreams: internet.upstreams,
      downgrade: 'fallback',
      rungs: ['udp', 'network'],
      systemResolvers: [gateway.v4],
    };
    const placement = { on: client, env: netlink.env };
    const service = await SottoService.start(lab, settings, undefined, placement);
    const ask = async (name: string) => {
      const args = ['@127.0.0.1', '-p', `${service.port}`, name, '+tries=1', '+time=30'];
      return (await client.run('dig', args)).stdout;
    };
    const leaves = async (name: string) => (await ask(name)).includes('NOERROR');
    const isUnseen = async () =>
      (await service.status()).health.find(({ code }) => code === 'network-unseen');
    await eventually('names leave in cleartext', () => leaves('before.far.example'));
    expect(await isUnseen()).toBeUndefined();

    netlink.fail(failure);
    // The next event of the kernel is the one that it can not receive; a second address does not count as another network.
    await client.ip('addr', 'add', '203.0.113.7/32', 'dev', 'lo');
    const issue = await eventually('it is told', isUnseen);
    expect(issue.text).toContain('nothing leaves in cleartext under a permission of before');
    const capture = await stage.capture(gateway.v4);
    const responses = await Promise.all(inEachRound.map((one) => ask(`q${one}.far.example`)));
    responses.push(...(await Promise.all(inEachRound.map((one) => ask(`q1${one}.far.example`)))));
    expect(await isUnseen()).toBeDefined();
    const left = (await capture.clearQueries()).map(({ name }) => name);
    expect(left.filter((name) => name.startsWith('q'))).toEqual([]);
    expect(responses.filter((response) => !response.includes('SERVFAIL'))).toEqual([]);

    netlink.heal();
    await eventually('it is told no longer', async () => (await isUnseen()) === undefined);
    let number = 0;
    await eventually('names leave again', () => leaves(`after${++number}.far.example`));
  });

  it('is reported from the start where the watch could not be made', async () => {
    const lab = await labForTest();
    const { client, internet } = await NetworkStage.open(lab);
    const netlink = await DeafNetlink.create(lab);
    netlink.fail(failure);
    const settings = { upstreams: internet.upstreams.slice(0, 1) };
    const placement = { on: client, env: netlink.env };
    const service = await SottoService.start(lab, settings, undefined, placement);
    const issue = await eventually('it is told', async () => {
      const { health } = await service.status();
      return health.find(({ code }) => code === 'network-unwatched');
    });
    expect(issue.text).toMatch(/^Nobody notices .*os error 5/);
  });
});
