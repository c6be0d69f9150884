/** The fixture's hotspot behaves as hotspots do. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { describeInNetworks } from '../rig/available.ts';
import { labForTest } from '../rig/lab.ts';
import { Dhclient, leaseFile } from './dhclient.ts';
import { gateway } from './local-network.ts';
import { digOn, firstRecord } from './lookup.ts';
import type { Machine } from './machine.ts';
import { NetworkStage } from './network-stage.ts';
import { Portal, portalApi, portalNames } from './portal.ts';

const visitor = fileURLToPath(new URL('./visitor.ts', import.meta.url));
const elsewhere = 'http://www.far.example/';

describeInNetworks(['nft', 'dig', 'isc-dhcp-client'], 'a hotspot', () => {
  it('leads everybody to its login, and lets those through who finish it', async () => {
    const lab = await labForTest();
    const { client, network, internet } = await NetworkStage.open(lab);
    const portal = await Portal.start(lab, network);
    expect(await reachesResolver(client, internet.openResolver)).toBe(false);
    expect(firstRecord(await digOn(client, '@198.51.100.99', 'far.example'))).not.toBe('');
    const pages = await visit(client, elsewhere);
    expect(pages.map(({ title }) => title)).toEqual(['Welcome', 'Your room', 'Connected']);
    await expect
      .poll(() => new Set(portal.visits.map(({ host }) => host)))
      .toEqual(new Set(['www.far.example', ...portalNames]));
    expect(await portal.isAdmitted(client)).toBe(true);
    expect(await visit(client, elsewhere)).toMatchObject([{ title: 'www.far.example' }]);
    expect(await reachesResolver(client, internet.openResolver)).toBe(true);
    await portal.expel();
    expect(await visit(client, elsewhere)).toMatchObject([{ title: 'Welcome' }, {}, {}]);
  });

  it('reports its state over TLS (RFC 8908)', async () => {
    const lab = await labForTest();
    const { client, network } = await NetworkStage.open(lab);
    const portal = await Portal.start(lab, network);
    const script =
      'const r = await fetch(process.argv[1]); console.log(r.headers.get("content-type"), await r.text())';
    const options = { env: { NODE_EXTRA_CA_CERTS: portal.ca } };
    const state = async () =>
      (await client.run(process.execPath, ['-e', script, portalApi], options)).stdout;
    expect(await state()).toMatch(/^application\/captive\+json .*"captive":true/);
    await portal.admit(client);
    expect(await state()).toContain('"captive":false');
    await portal.trustedBy(client);
    const bundle = await client.read('/etc/ssl/certs/ca-certificates.crt');
    expect(bundle).toContain(await readFile(portal.ca, 'utf8'));
  });

  it('names its API to clients that request it by DHCP', async () => {
    const lab = await labForTest();
    const { client, network } = await NetworkStage.open(lab, { addresses: 'none' });
    await Portal.start(lab, network);
    await Dhclient.start(lab, client);
    expect(await client.read(leaseFile)).toContain(portalApi);
    await expect.poll(() => client.read('/etc/resolv.conf')).toContain(gateway.v4);
  });

  it('can be faked on a network where all but HTTP gets through, and lead to a bank', async () => {
    const lab = await labForTest();
    const { client, network, internet } = await NetworkStage.open(lab);
    const portal = await Portal.start(lab, network, {
      faked: true,
      silent: true,
      stages: 1,
      leadsTo: 'bank.example',
    });
    expect(await reachesResolver(client, internet.openResolver)).toBe(true);
    const pages = await visit(client, elsewhere);
    expect(pages[0]).toMatchObject({ title: 'Welcome', url: 'http://bank.example/welcome' });
    await expect.poll(() => portal.visits.map(({ host }) => host)).toContain('bank.example');
  });
});

/** Over port 443. */
async function reachesResolver(client: Machine, address: string): Promise<boolean> {
  const { code } = await client.run('/bin/bash', ['-c', 'exec 3<>/dev/tcp/$0/853', address]);
  return code === 0;
}

async function visit(client: Machine, url: string): Promise<{ title: string; url: string }[]> {
  const text = await client.succeed(process.execPath, visitor, url);
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}
