/** The drop-in that "sotto profile export" makes for systemd-resolved, read by the real one. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commandLine, describeInNetworks } from '../rig/available.ts';
import { type Lab, labForTest } from '../rig/lab.ts';
import { succeed } from '../rig/process.ts';
import { Machine } from './machine.ts';
import { Resolved } from './resolved.ts';

const upstreams = [
  { id: 'a', transport: 'dot', address: ['192.0.2.1', '[2001:db8::1]:8853'], name: 'a.example' },
  { id: 'b', transport: 'dot', address: '192.0.2.2' },
];

async function exported(lab: Lab, downgrade: string, ...more: string[]): Promise<string> {
  const file = join(lab.directory, 'corp.json');
  const facts = { id: 'example-corp', serial: 7, issuer: 'Example Corp', name: 'Laptops' };
  const settings = { upstreams: { value: upstreams }, downgrade: { value: downgrade } };
  await writeFile(file, JSON.stringify({ ...facts, settings }));
  const words = ['profile', 'export', 'systemd-resolved', file, ...more];
  return await succeed(process.execPath, [commandLine, ...words]);
}

describeInNetworks(['systemd-resolved', 'busctl'], 'an exported drop-in', () => {
  it.each([
    ['refuse', [], 'yes'],
    ['fallback', ['--allow', 'opportunistic'], 'opportunistic'],
  ])('under %s %j it says DNSOverTLS=%s', async (downgrade, more, dnsOverTls) => {
    const lab = await labForTest();
    const machine = await Machine.create(lab, 'exported');
    await machine.write('/etc/systemd/resolved.conf', '[Resolve]\nDNS=198.51.100.1\n');
    const text = await exported(lab, downgrade, ...more);
    await machine.write('/etc/systemd/resolved.conf.d/sotto.conf', text);
    await machine.startBus();
    const resolved = await Resolved.start(lab, machine);
    expect(await resolved.global()).toEqual({
      dns: [
        '192.0.2.1#a.example',
        '[2001:0db8:0000:0000:0000:0000:0000:0001]:8853#a.example',
        '192.0.2.2#',
      ],
      domains: ['~.'],
      dnsOverTls,
    });
    expect(resolved.transcript()).not.toMatch(/sotto\.conf/);
  });
});
