/** A network without IPv4: queries are private over IPv6, and programs find its NAT64 through Sotto. */
import { expect, it } from 'vitest';
import type { LedgerEntry } from '../../app/contract/protection/ledger-entry.ts';
import { describeInNetworks } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { labForTest } from '../rig/lab.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { webAddress } from './internet.ts';
import { gateway } from './local-network.ts';
import { digOn, firstRecord } from './lookup.ts';
import { Nat64, nat64Prefix } from './nat64.ts';
import { NetworkStage } from './network-stage.ts';

/** The name by which Sotto checks whether a resolver leads back to it. */
const loopProbe = /^sotto-loop-[0-9a-f]+\./;

describeInNetworks(['sotto', 'tayga', 'dig'], 'a network without IPv4', () => {
  it('is private from the start, and tells programs its prefix and nothing else in cleartext', async () => {
    const lab = await labForTest();
    const stage = await NetworkStage.open(lab);
    const { client, internet } = stage;
    await Nat64.start(lab, stage);
    const capture = await stage.capture(gateway.v6);
    // A busy machine needs longer for its first connection, and then checks whether this network wants a login.
    const settings = {
      upstreams: internet.upstreams,
      systemResolvers: [gateway.v6],
      portal: { detect: false },
    };
    const service = await SottoService.start(lab, settings, undefined, { on: client });
    const ask = async (name: string, type: string) => {
      const to = [`@${service.v6.address}`, '-p', `${service.v6.port}`];
      return await digOn(client, ...to, name, type);
    };
    await eventually('it is private', async () => {
      return (await service.status()).protection.state === 'private';
    });
    expect(firstRecord(await ask('www.far.example', 'AAAA'))).toBe(webAddress.v6);
    await eventually('the prefix is told', async () => {
      return (await ask('ipv4only.arpa', 'AAAA')).includes(`${nat64Prefix}c000:aa`);
    });
    const clear = await capture.clearQueries();
    const users = clear.filter(({ name }) => !loopProbe.test(name));
    expect(new Set(users.map(({ name }) => name))).toEqual(new Set(['ipv4only.arpa']));
    expect(new Set(users.map(({ to }) => to))).toEqual(new Set([gateway.v6]));
    const { stdout } = await service.cli('ledger', '--json');
    const entries = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as LedgerEntry);
    expect(entries).toMatchObject([
      { class: 'bypass', rule: 'ipv4only.arpa', count: clear.length },
    ]);
  });
});
