/** A permission of one network does not hold on the next one, also while the control plane hangs. */
import { expect, it } from 'vitest';
import type { LedgerEntry } from '../../app/contract/protection/ledger-entry.ts';
import { HeldThread } from '../lab/policy-matrix/held-thread.ts';
import { describeInNetworks } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { labForTest } from '../rig/lab.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { cafeGateway, goToCafe } from './cafe.ts';
import { gateway } from './local-network.ts';
import { NetworkStage } from './network-stage.ts';

const cases = [
  { permitted: 'fallback', downgrade: 'fallback' },
  { permitted: 'warn', downgrade: 'warn' },
  { permitted: 'off', downgrade: 'refuse' },
] as const;
const inEachRound = Array.from({ length: 10 }, (_, number) => number);

describeInNetworks(['sotto', 'dig', 'nft'], 'a machine that goes to another network', () => {
  it.each(cases)(
    'under $permitted, with a control plane that hangs, sends nothing in cleartext there',
    async ({ permitted, downgrade }) => {
      const lab = await labForTest();
      const stage = await NetworkStage.open(lab);
      const { client, network, internet } = stage;
      await network.namespace.run('sh', ['-ec', withoutPrivatePath]);
      const settings = {
        upstreams: internet.upstreams,
        downgrade,
        rungs: ['udp', 'network'],
        systemResolvers: [gateway.v4],
      };
      const service = await SottoService.start(lab, settings, undefined, { on: client });
      const ask = async (name: string) => {
        const args = ['@127.0.0.1', '-p', `${service.port}`, name, '+tries=1', '+time=30'];
        return (await client.run('dig', args)).stdout;
      };
      if (permitted === 'off') await service.json('off');
      if (permitted === 'warn') {
        const id = await eventually('somebody is asked', async () => {
          await ask('first.far.example');
          return (await service.status()).consentRequests.find(({ state }) => state === 'open')?.id;
        });
        await service.json('consent', 'allow', id, '--minutes', '30');
      }
      await eventually('names leave in cleartext at home', async () =>
        (await ask('home.far.example')).includes('NOERROR'),
      );

      const held = await HeldThread.hold(lab, (await service.status()).pid);
      await goToCafe(lab, client);
      const capture = await stage.capture(cafeGateway);
      const responses: string[] = [];
      for (const round of ['at-once', 'later'])
        responses.push(
          ...(await Promise.all(
            inEachRound.map((number) => ask(`q${number}-${round}.far.example`)),
          )),
        );
      const names = (await capture.clearQueries()).map(({ name }) => name);
      expect(names.filter((name) => name.startsWith('q'))).toEqual([]);
      expect(responses.filter((response) => response.includes('SERVFAIL'))).toHaveLength(
        responses.length,
      );
      await held.letGo();
      await eventually('the service has noticed', async () =>
        (await ledger(service)).some(({ closed }) => closed === 'the network changed'),
      );
    },
  );
});

/** The gateway refuses TLS, and TCP to a resolver, at once. */
const withoutPrivatePath = `nft add table inet lab
nft add chain inet lab through '{ type filter hook forward priority 0; }'
nft add rule inet lab through tcp dport '{ 53, 853 }' reject with tcp reset`;

async function ledger(service: SottoService): Promise<LedgerEntry[]> {
  const { stdout } = await service.cli('ledger', '--json', '--limit', '1000');
  const lines = stdout.split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as LedgerEntry);
}
