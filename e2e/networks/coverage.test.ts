/** What the coverage map says of packets past Sotto, against a capture of the same cable. */
import { expect, it } from 'vitest';
import type { CoverageRow } from '../../app/contract/system/coverage.ts';
import { describeInNetworks, locate } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { type Lab, labForTest } from '../rig/lab.ts';
import { Namespace } from '../rig/network/namespace.ts';
import { type Finished, Program, run } from '../rig/process.ts';
import { ControlGroup } from './control-group.ts';
import { Gate } from './gate.ts';
import { Helper } from './helper.ts';
import { InstalledService } from './installed-service.ts';
import type { Machine } from './machine.ts';
import { NetworkStage } from './network-stage.ts';

/** A resolver that is nobody's upstream here, so that nothing but our programs asks it. */
const hardCoded = { v4: '198.51.100.54', v6: '2001:db8:53::54' };
/** Quad9's, of the catalogue */
const known = '9.9.9.9';
/** Debian's numbers of the users nobody and daemon; the service is root here. */
const nobody = '65534';
const daemon = '1';
const python = '/usr/bin/python3';
const onePacket = ['+time=30', '+tries=1', 'stray.far.example'];

/** Sends so many datagrams to port 53, each from a new port, of as many addresses as there are; the answers are not read. */
const flood = `
import socket, sys
for number in range(int(sys.argv[1])):
    sending = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sending.sendto(b'flood', ('198.51.%d.%d' % (number >> 8 & 255, number & 255), 53))
    sending.close()
`;

/** One datagram of each of so many users, such as a person with subordinate ids has. */
const users = `
import os, socket, sys
for user in range(100000, 100000 + int(sys.argv[1])):
    child = os.fork()
    if child == 0:
        os.setuid(user)
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'user', ('198.51.100.54', 53))
        os._exit(0)
    os.waitpid(child, 0)
`;

async function computer(lab: Lab, settings: object = {}) {
  const stage = await NetworkStage.open(lab);
  const { client, internet } = stage;
  // A network namespace has a /sys of its own, without what is mounted below it.
  await client.succeed('mount', '-t', 'cgroup2', 'cgroup2', '/sys/fs/cgroup');
  await Helper.start(lab, client);
  const gate = await Gate.start(lab, client);
  const service = await InstalledService.start(lab, client, {
    upstreams: internet.upstreams.slice(0, 1),
    downgrade: 'refuse',
    ...settings,
  });
  expect((await service.cli('system', 'take')).code).toBe(0);
  await eventually('it is counted', () => isCounted(client));
  return { stage, client, gate, service, person: new Person(lab, client) };
}

/** Somebody with programs, each in a control group as desktops make them. */
class Person {
  readonly #lab: Lab;
  readonly #client: Machine;
  readonly #groups = new Map<string, ControlGroup>();

  constructor(lab: Lab, client: Machine) {
    this.#lab = lab;
    this.#client = client;
  }

  async runs(program: string, user: string, command: string, ...args: string[]): Promise<Finished> {
    return await run(...this.command(program, user, command, ...args), { timeoutMs: 120_000 });
  }

  command(program: string, user: string, command: string, ...args: string[]): [string, string[]] {
    const name = `app-gnome-${program}-4711.scope`;
    const group = this.#groups.get(name) ?? ControlGroup.create(this.#lab, name);
    this.#groups.set(name, group);
    const as = ['--reuid', user, '--clear-groups', '--', command, ...args];
    return group.inside(...this.#client.inside('setpriv', as));
  }
}

async function isCounted(client: Machine): Promise<boolean> {
  return (await client.run('nft', ['list', 'table', 'inet', 'sotto_coverage'])).code === 0;
}

const map = (service: InstalledService) => service.call('coverage.map', {});
const status = (service: InstalledService) => service.status();

async function counted(service: InstalledService): Promise<CoverageRow[]> {
  return (await map(service)).rows.filter(({ source }) => source === 'counted');
}

const total = (rows: CoverageRow[]) => rows.reduce((sum, { count }) => sum + (count ?? 0), 0);

/** The rows once they are as wanted: the gate may reply too late for one map, which then has the counts of before. */
async function countedAtLast(
  service: InstalledService,
  areWanted: (rows: CoverageRow[]) => boolean,
): Promise<CoverageRow[]> {
  return await eventually('all is counted', async () => {
    const rows = await counted(service);
    return areWanted(rows) && rows;
  });
}

describeInNetworks(['sotto', 'nft', 'dig', 'kdig'], 'the coverage map', () => {
  it('counts what the capture sees, by program and user; one stray query changes no verdict', async () => {
    const lab = await labForTest();
    const { stage, service, person } = await computer(lab);
    await eventually(
      'it is protected',
      async () => (await status(service)).verdict.is === 'protected',
    );
    const capture = await stage.capture();
    await person.runs('stray', nobody, 'dig', `@${hardCoded.v4}`, ...onePacket);
    await person.runs('camera', daemon, 'dig', `@${hardCoded.v4}`, '+tcp', ...onePacket);
    await person.runs('camera', daemon, 'dig', `@${hardCoded.v6}`, ...onePacket);
    await person.runs(
      'browser',
      nobody,
      'kdig',
      '+tls',
      `@${hardCoded.v4}`,
      '+retry=0',
      '+time=30',
      'a.far.example',
    );
    const rows = await countedAtLast(service, (all) => all.length === 3 && total(all) === 4);
    expect((await status(service)).verdict.is).toBe('protected');
    const told = rows.map(({ name, user, count, to, weighs }) => [name, user, count, to, weighs]);
    expect(told.sort()).toEqual([
      ['browser', 'nobody', 1, [`${hardCoded.v4}:853`], false],
      ['camera', 'daemon', 2, [`[${hardCoded.v6}]:53`, `${hardCoded.v4}:53`], false],
      ['stray', 'nobody', 1, [`${hardCoded.v4}:53`], false],
    ]);
    expect(rows.every(({ rejected }) => rejected === 0)).toBe(true);
    expect(await leftFor(capture)).toBe(total(rows));
  });

  it('makes the verdict partly once a program repeats it, names it and says how often', async () => {
    const lab = await labForTest();
    const { service, person } = await computer(lab);
    const verdict = await eventually(
      'it repeats',
      async () => {
        await person.runs('camera', daemon, 'dig', `@${hardCoded.v4}`, ...onePacket);
        const [row] = await counted(service);
        const { verdict: judged } = await status(service);
        expect(judged.is).toBe(row?.weighs ? 'partly' : 'protected');
        return judged.is === 'partly' && judged;
      },
      150_000,
    );
    expect(verdict.around).toMatchObject([{ kind: 'program', name: 'camera' }]);
    expect(verdict.around[0]?.count).toBeGreaterThanOrEqual(3);
    const said = await service.cli('status');
    expect(said.stdout).toContain('camera goes around Sotto.');
    expect(said.stdout).toMatch(/\d+ queries or connections went past it since/);
  });

  it('tells what is rejected as rejected, and never as going around', async () => {
    const lab = await labForTest();
    const { stage, service, person, gate } = await computer(lab, {
      systemDns: { close: 'always' },
    });
    await eventually('it is closed', () => gate.isClosed());
    const capture = await stage.capture();
    await person.runs('camera', daemon, 'dig', `@${hardCoded.v4}`, ...onePacket);
    await person.runs('camera', daemon, 'dig', `@${hardCoded.v4}`, '+tcp', ...onePacket);
    const rows = await countedAtLast(service, ([row]) => (row?.rejected ?? 0) >= 2);
    expect(rows).toMatchObject([{ name: 'camera', count: 0, weighs: false }]);
    expect(await leftFor(capture)).toBe(0);
  });

  it('counts what is forwarded for a container behind a bridge', async () => {
    const lab = await labForTest();
    const { stage, client, service } = await computer(lab);
    const container = await Namespace.create(lab, 'container');
    await client.ip('link', 'add', 'docker0', 'type', 'bridge');
    await client.ip('addr', 'add', '172.17.0.1/16', 'dev', 'docker0');
    await client.ip('link', 'set', 'docker0', 'up');
    const far = ['peer', 'name', 'inside', 'netns', container.name];
    await client.ip('link', 'add', 'outside', 'type', 'veth', ...far);
    await client.ip('link', 'set', 'outside', 'master', 'docker0', 'up');
    await client.namespace.sysctl('net.ipv4.ip_forward', 1);
    await container.ip('addr', 'add', '172.17.0.2/16', 'dev', 'inside');
    await container.ip('link', 'set', 'inside', 'up');
    await container.ip('route', 'add', 'default', 'via', '172.17.0.1');
    const capture = await stage.capture();
    // nobody translates addresses here, so that no response comes back
    await container.run('dig', [`@${hardCoded.v4}`, ...onePacket, '+time=5']);
    await container.run('dig', [`@${hardCoded.v4}`, '+tcp', ...onePacket, '+time=5']);
    const left = await leftFor(capture);
    const rows = await countedAtLast(service, (all) => total(all) >= left);
    expect(rows).toMatchObject([
      { kind: 'container', name: '172.17.0.2', user: null, to: [`${hardCoded.v4}:53`] },
    ]);
    expect(rows[0]?.text).toContain('behind docker0');
    expect(rows[0]?.count).toBe(left);
  });

  it('goes on after the rules were flushed, and after the gate and the service died', async () => {
    const lab = await labForTest();
    const { stage, client, service, gate, person } = await computer(lab);
    const capture = await stage.capture();
    const asks = () => person.runs('camera', daemon, 'dig', `@${hardCoded.v4}`, ...onePacket);
    const isCountedAs = async (count: number) => {
      const rows = await countedAtLast(service, ([row]) => (row?.count ?? 0) >= count);
      expect(rows[0]?.count).toBe(count);
    };
    await asks();
    await isCountedAs(1);
    await client.succeed('nft', 'flush', 'ruleset');
    await eventually('it is counted again', () => isCounted(client));
    await asks();
    await isCountedAs(2);
    await gate.kill();
    expect((await map(service)).uncounted).toMatch(/the gate does not run/);
    await asks();
    await gate.start();
    await isCountedAs(3);
    expect(await leftFor(capture)).toBe(3);
    service.signalAll('SIGKILL');
    expect(await isCounted(client)).toBe(true);
    expect((await asks()).code).toBe(0);
    await gate.giveBack();
    expect(await isCounted(client)).toBe(false);
    expect((await asks()).code).toBe(0);
  });

  it('stops when DNS is given back', async () => {
    const { client, service } = await computer(await labForTest());
    expect((await service.cli('system', 'give-back')).code).toBe(0);
    await eventually('nothing is counted', async () => !(await isCounted(client)));
    expect(await map(service)).toMatchObject({ countsSince: null, uncounted: null });
  });

  it('keeps a flood to many addresses bounded, and says who it was; others are still counted', async () => {
    const lab = await labForTest();
    const { client, service, person } = await computer(lab);
    await person.runs('flood', nobody, python, '-c', flood, '100000');
    await person.runs('camera', daemon, 'dig', `@${hardCoded.v4}`, ...onePacket);
    const rows = await countedAtLast(service, (all) => total(all) > 100_000);
    expect(rows.find(({ name }) => name === 'flood')?.count).toBe(100_000);
    expect(rows.find(({ name }) => name === 'camera')?.count).toBe(1);
    expect(rows.length).toBeLessThan(5);
    const elements = (await client.succeed('nft', 'list', 'table', 'inet', 'sotto_coverage')).match(
      /counter packets/g,
    );
    expect(elements?.length).toBeLessThan(2500);
  });

  it('says that there are more than it can tell apart, so that nobody hides others', async () => {
    const lab = await labForTest();
    const { service, person } = await computer(lab);
    // three sets of 256 keys are full then
    const told = 3 * 256;
    await person.runs('users', '0', python, '-c', users, `${told + 132}`);
    await person.runs('camera', daemon, 'dig', `@${hardCoded.v4}`, ...onePacket);
    const rows = await countedAtLast(service, (all) => all.some(({ kind }) => kind === 'other'));
    const others = rows.find(({ kind }) => kind === 'other');
    expect(others).toMatchObject({ name: '', user: null, count: 133, to: ['any:53'] });
    expect(others?.text).toContain('More programs than can be told apart sent 133 queries');
  });
});

describeInNetworks(['sotto', 'nft', 'socat'], 'connections to known resolvers', () => {
  it('are named while they live, and count once they last', async () => {
    const lab = await labForTest();
    const { stage, service, person } = await computer(lab);
    await stage.internet.namespace.ip('addr', 'add', known, 'dev', 'lo');
    const listen = ['-d', '-d', 'TCP-LISTEN:443,fork,reuseaddr', 'EXEC:cat'];
    const server = lab.adopt(await stage.internet.namespace.start(locate('socat'), listen));
    await server.ready(async () => server.stderr.includes('listening on'));
    const talk = person.command('browser', nobody, locate('socat'), '-u', `TCP:${known}:443`, '-');
    const program = lab.adopt(await Program.start(...talk));
    const row = await eventually('it is seen', async () =>
      (await map(service)).rows.find(({ source }) => source === 'connection'),
    );
    expect(row).toMatchObject({ name: 'browser', user: 'nobody', to: [`${known}:443`] });
    const twoReadingsMs = 120_000;
    await eventually(
      'it counts',
      async () => {
        const { verdict } = await status(service);
        return verdict.is === 'partly' && verdict.around.some(({ name }) => name === 'browser');
      },
      twoReadingsMs,
    );
    await program.stop('SIGKILL');
  });
});

/** Datagrams and first packets of connections that left for the hard-coded resolver. */
async function leftFor(capture: Awaited<ReturnType<NetworkStage['capture']>>): Promise<number> {
  const to = `(ip.dst == ${hardCoded.v4} || ipv6.dst == ${hardCoded.v6}) && !icmp && !icmpv6`;
  const port = '(udp.dstport in {53, 853} || tcp.dstport in {53, 853})';
  const first = '(udp || (tcp.flags.syn == 1 && tcp.flags.ack == 0))';
  return (await capture.rows(`${to} && ${port} && ${first}`, ['frame.number'])).length;
}
