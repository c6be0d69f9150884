/** The fixture's network without IPv4 reaches hosts that have only IPv4. */
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { describeInNetworks } from '../rig/available.ts';
import { labForTest } from '../rig/lab.ts';
import { digOn } from './lookup.ts';
import { Nat64, nat64Prefix } from './nat64.ts';
import { NetworkStage } from './network-stage.ts';

const visitor = fileURLToPath(new URL('./visitor.ts', import.meta.url));

describeInNetworks(['tayga', 'dig'], 'a network without IPv4', () => {
  it('reaches IPv4 by addresses that its own resolver makes', async () => {
    const lab = await labForTest();
    const stage = await NetworkStage.open(lab);
    const { client } = stage;
    await Nat64.start(lab, stage);
    expect(await client.ip('-4', 'addr', 'show', 'dev', 'eth0')).toBe('');
    const prefix = await digOn(client, 'ipv4only.arpa', 'AAAA');
    expect(prefix).toContain(`${nat64Prefix}c000:aa`);
    expect(await client.succeed(process.execPath, visitor, 'http://old.example/')).toContain(
      '"title":"old.example"',
    );
    const reached = ['-c', 'exec 3<>/dev/tcp/$0/853', `${nat64Prefix}198.51.100.53`];
    expect((await client.run('/bin/bash', reached)).code, 'a private upstream of IPv4').toBe(0);
  });
});
