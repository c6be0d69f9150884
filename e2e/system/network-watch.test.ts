/** Real links, addresses, routes and neighbours: two namespaces joined by a veth pair, one of them watched. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NetworkSnapshot } from '../../app/service/network/network-snapshot.ts';
import type { NetworkStay } from '../../app/service/network/network-stay.ts';
import { describeWith } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { Program } from '../rig/process.ts';

interface Told {
  snapshot: NetworkSnapshot;
  stay: NetworkStay;
}

const iproute = ['/usr/sbin/ip', '/sbin/ip', '/usr/bin/ip', '/bin/ip'].find(existsSync);
const watchProcess = new URL('./network-watch-process.ts', import.meta.url).pathname;
const here = `sotto-here-${process.pid}`;
const router = `sotto-router-${process.pid}`;
const refused = whyNoNamespaces();

if (refused !== null)
  it('the network watch', (context) => context.skip(`no network namespaces: ${refused}`));
else
  describeWith(['sotto'], 'the network watch', () => {
    const lab = labForFile();
    let program: Program;
    let routerMac = '';

    beforeAll(async () => {
      ip('netns', 'add', here);
      ip('netns', 'add', router);
      ip('-n', here, 'link', 'add', 'veth0', 'type', 'veth', 'peer', 'gate0', 'netns', router);
      ip('-n', router, 'address', 'add', '192.0.2.1/24', 'dev', 'gate0');
      ip('-n', router, 'link', 'set', 'gate0', 'up');
      const [link] = JSON.parse(ip('-j', '-n', router, 'link', 'show', 'gate0'));
      routerMac = link.address;
      const words = ['netns', 'exec', here, process.execPath, watchProcess];
      program = lab.adopt(await Program.start(iproute ?? '', words, { env: noBus(lab.directory) }));
    });

    afterAll(async () => {
      await program?.stop();
      for (const namespace of [here, router]) ip('netns', 'delete', namespace);
    });

    describe('reports, one after the other', () => {
      it('the link at the start', async () => {
        const { snapshot, stay } = await told(() => true);
        expect(linkOf(snapshot, 'veth0')).toMatchObject({ up: false, kind: 'virtual' });
        expect(stay.identity.id).toBe('none');
      });

      it('a link that is up, and its address', async () => {
        ip('-n', here, 'link', 'set', 'veth0', 'up');
        ip('-n', here, 'address', 'add', '192.0.2.7/24', 'dev', 'veth0');
        const { snapshot } = await told(({ snapshot }) => {
          const link = linkOf(snapshot, 'veth0');
          return link?.running === true && link.addresses.some(({ ip }) => ip === '192.0.2.7');
        });
        expect(snapshot.defaultRoutes).toEqual([]);
      });

      it('a default route, and the gateway’s hardware address as soon as a packet went there', async () => {
        ip('-n', here, 'route', 'add', 'default', 'via', '192.0.2.1', 'metric', '50');
        const arrived = await told(({ snapshot }) => snapshot.defaultRoutes.length === 1);
        expect(arrived.snapshot.defaultRoutes).toEqual([
          {
            family: 4,
            gateway: '192.0.2.1',
            gatewayMac: null,
            interface: 'veth0',
            interfaceIndex: linkOf(arrived.snapshot, 'veth0')?.index,
            metric: 50,
          },
        ]);
        expect(arrived.stay.identity).toMatchObject({
          settled: false,
          label: '192.0.2.0/24 via 192.0.2.1 on veth0',
        });
        inside(here, 'echo > /dev/udp/192.0.2.1/9');
        const known = await told(({ stay }) => stay.identity.settled);
        expect(known.snapshot.defaultRoutes[0]?.gatewayMac).toBe(routerMac);
        expect(known.stay).toMatchObject({
          number: arrived.stay.number,
          partition: arrived.stay.partition,
        });
      });

      it('a tunnel, which is listed and changes nothing', async () => {
        const { stay: before } = last();
        ip('-n', here, 'tuntap', 'add', 'tun0', 'mode', 'tun');
        ip('-n', here, 'link', 'set', 'tun0', 'up');
        ip('-n', here, 'route', 'add', 'default', 'dev', 'tun0', 'metric', '1');
        const { snapshot, stay } = await told(({ snapshot }) => snapshot.defaultRoutes.length > 1);
        expect(linkOf(snapshot, 'tun0')?.kind).toBe('tunnel');
        expect(stay.identity).toEqual(before.identity);
        ip('-n', here, 'link', 'delete', 'tun0');
        await told(({ snapshot }) => linkOf(snapshot, 'tun0') === undefined);
      });

      it('a burst as a few changes', async () => {
        const before = all().length;
        const addresses = Array.from({ length: 60 }, (_, index) => `198.51.100.${index + 1}/32`);
        // It stands still meanwhile, so that all come at once however slow this machine is.
        program.signal('SIGSTOP');
        batch(...addresses.map((address) => `address add ${address} dev veth0`));
        program.signal('SIGCONT');
        await told(({ snapshot }) => linkOf(snapshot, 'veth0')?.addresses.length === 62);
        expect(all().length - before).toBeLessThan(20);
      });

      it('a possible move, also where all is as before', async () => {
        const { snapshot: before } = last();
        const lines = ['address del 192.0.2.7/24 dev veth0', 'address add 192.0.2.7/24 dev veth0'];
        batch(...lines, 'route replace default via 192.0.2.1 metric 50');
        const owned = JSON.stringify(linkOf(before, 'veth0')?.addresses);
        await told(
          ({ snapshot }) =>
            snapshot.networkChanges > before.networkChanges &&
            JSON.stringify(linkOf(snapshot, 'veth0')?.addresses) === owned,
        );
      });

      it('no move where a container comes and goes, or a route is renewed', async () => {
        const { networkChanges } = await allBefore();
        ip('-n', here, 'link', 'add', 'veth9', 'type', 'veth', 'peer', 'name', 'inner9');
        batch('link set inner9 up', 'link set veth9 up');
        await told(({ snapshot }) => linkOf(snapshot, 'veth9')?.addresses.length === 1);
        ip('-n', here, 'link', 'delete', 'veth9');
        batch('route replace default via 192.0.2.1 metric 50');
        await told(({ snapshot }) => linkOf(snapshot, 'veth9') === undefined);
        expect((await allBefore()).networkChanges).toBe(networkChanges);
      });

      it('a move where events were lost, because they are unknown', async () => {
        const { networkChanges } = last().snapshot;
        ip('-n', here, 'tuntap', 'add', 'tun9', 'mode', 'tun');
        // the kernel reports nothing about a link that is down
        ip('-n', here, 'link', 'set', 'tun9', 'up');
        await told(({ snapshot }) => linkOf(snapshot, 'tun9')?.up === true);
        program.signal('SIGSTOP');
        const lines = Array.from({ length: 5000 }, (_, index) => `link set tun9 alias a${index}`);
        batch(...lines);
        program.signal('SIGCONT');
        await told(({ snapshot }) => snapshot.networkChanges > networkChanges);
        ip('-n', here, 'link', 'delete', 'tun9');
      });

      it('that the carrier is gone and back', async () => {
        const { stay: before } = last();
        ip('-n', router, 'link', 'set', 'gate0', 'down');
        const { stay } = await told(({ snapshot }) => !linkOf(snapshot, 'veth0')?.running);
        expect(stay.identity.id).toBe('none');
        ip('-n', router, 'link', 'set', 'gate0', 'up');
        const back = await told(({ stay }) => stay.identity.id !== 'none');
        expect(back.stay.number).toBeGreaterThan(before.number);
        expect(back.stay.identity.hints.prefix).toBe('192.0.2.0/24');
      });

      it('that route and address are gone', async () => {
        ip('-n', here, 'route', 'delete', 'default', 'metric', '50');
        await told(({ snapshot }) => snapshot.defaultRoutes.length === 0);
        ip('-n', here, 'address', 'flush', 'dev', 'veth0');
        const { snapshot } = await told(
          ({ snapshot }) => linkOf(snapshot, 'veth0')?.addresses.length === 0,
        );
        expect(linkOf(snapshot, 'veth0')?.running).toBe(true);
      });
    });

    /** The report once all is in it that happened until now: a link that comes and goes is the last of it. */
    async function allBefore(): Promise<NetworkSnapshot> {
      ip('-n', here, 'tuntap', 'add', 'mark0', 'mode', 'tun');
      ip('-n', here, 'link', 'set', 'mark0', 'up');
      await told(({ snapshot }) => linkOf(snapshot, 'mark0')?.up === true);
      ip('-n', here, 'link', 'delete', 'mark0');
      return (await told(({ snapshot }) => linkOf(snapshot, 'mark0') === undefined)).snapshot;
    }

    /** Resolves with the newest report once it matches. */
    function told(fits: (told: Told) => boolean): Promise<Told> {
      return eventually('the watch tells it', () => {
        const newest = all().at(-1);
        return newest !== undefined && fits(newest) ? newest : null;
      });
    }

    function last(): Told {
      const newest = all().at(-1);
      if (newest === undefined) throw new Error('nothing was told yet');
      return newest;
    }

    function all(): Told[] {
      const lines = program.stdout.split('\n').slice(0, -1);
      return lines.map((line) => JSON.parse(line) as Told);
    }
  });

const linkOf = (snapshot: NetworkSnapshot, name: string) =>
  snapshot.interfaces.find((link) => link.name === name);

/** The machine's own bus does not know this namespace. */
const noBus = (directory: string) => ({
  DBUS_SYSTEM_BUS_ADDRESS: `unix:path=${join(directory, 'no-bus')}`,
});

function ip(...words: string[]): string {
  return execFileSync(iproute ?? '', words, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Runs all of these commands in the watched namespace, as fast as possible. */
function batch(...lines: string[]): void {
  execFileSync(iproute ?? '', ['-n', here, '-batch', '-'], { input: lines.join('\n') });
}

function inside(namespace: string, script: string): void {
  ip('netns', 'exec', namespace, 'bash', '-c', script);
}

function whyNoNamespaces(): string | null {
  if (iproute === undefined) return 'no ip: apt-get install iproute2';
  if (process.getuid?.() !== 0) return 'run as root';
  const probe = `sotto-probe-${process.pid}`;
  try {
    ip('netns', 'add', probe);
    ip('netns', 'exec', probe, 'true');
    ip('netns', 'delete', probe);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
