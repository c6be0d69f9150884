/**
 * Rules, groups and refusals for some askers only: real users and control groups on one computer ask for the same names, and a
 * capture of its network says what left in cleartext. Hostile programs try to be somebody else.
 */
import { isIP } from 'node:net';
import { expect, it } from 'vitest';
import type { QueryEvent } from '../../app/contract/query-log/query-event.ts';
import type { ResultOf } from '../../app/contract/service-api.ts';
import { describeInNetworks } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { type Lab, labForTest } from '../rig/lab.ts';
import type { Capture } from '../rig/network/capture.ts';
import { Program, run } from '../rig/process.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { ControlGroup } from './control-group.ts';
import { webAddress } from './internet.ts';
import { gateway, internalAddress, internalDns, internalZone } from './local-network.ts';
import { NetworkStage } from './network-stage.ts';

/** Accounts of Debian, which every computer here has. */
const [backup, nobody] = ['backup', 'nobody'];
/** What the internet says of the internal names. */
const publicAddress = '203.0.113.99';
const python = '/usr/bin/python3';
const internal = { suffix: internalZone, to: [internalDns] };
const unit = 'backup.service';
const floodsWithinMs = 180_000;

class Scene {
  readonly #lab: Lab;
  readonly stage: NetworkStage;
  readonly service: SottoService;

  static async open(settings: object): Promise<Scene> {
    const lab = await labForTest();
    const stage = await NetworkStage.open(lab, {
      names: { [internalZone]: [`A ${publicAddress}`] },
    });
    // A network namespace has a /sys of its own, without what is mounted below it.
    await stage.client.succeed('mount', '-t', 'cgroup2', 'cgroup2', '/sys/fs/cgroup');
    const all = { upstreams: stage.internet.upstreams, listen: ['127.0.0.1:53'], ...settings };
    const service = await SottoService.start(lab, all, 53, { on: stage.client });
    await eventually('a private path is found', async () => {
      // a rule that is a downgrade exposes, whatever the upstreams do
      return ['private', 'exposed'].includes((await service.status()).protection.state);
    });
    return new Scene(lab, stage, service);
  }

  private constructor(lab: Lab, stage: NetworkStage, service: SottoService) {
    this.#lab = lab;
    this.stage = stage;
    this.service = service;
  }

  group(name: string): ControlGroup {
    return ControlGroup.create(this.#lab, name);
  }

  /** What a program of this user, in this group, gets for the name. */
  async dig(name: string, user: string, group: ControlGroup, ...more: string[]): Promise<string> {
    const from = ['@127.0.0.1', '+short', '+tries=1', '+time=30', ...more, name];
    const { stdout } = await this.runAs(user, group, 'dig', ...from);
    return stdout.trim();
  }

  /** The same until there is an address: a query's time may run out while the machine stands still. */
  async address(...asking: Parameters<Scene['dig']>): Promise<string> {
    return await eventually(`${asking[0]} has an address`, async () => {
      const said = await this.dig(...asking);
      return isIP(said) !== 0 && said;
    });
  }

  /**
   * The same until it is `expected`: on a busy computer a query may lie unread for so long that nobody knows any more who asked, and
   * then it gets what is stricter.
   */
  async gets(expected: string, ...asking: Parameters<Scene['dig']>): Promise<void> {
    await eventually(`${asking[0]} is ${expected}`, async () => {
      return (await this.dig(...asking)) === expected;
    });
  }

  /** The same until the name leaves in cleartext. */
  async leaves(...asking: Parameters<Scene['dig']>): Promise<void> {
    await eventually(`${asking[0]} leaves`, async () => {
      await this.dig(...asking);
      return (await this.service.logged(asking[0])).clear !== 'none';
    });
  }

  async runAs(user: string, group: ControlGroup, command: string, ...args: string[]) {
    const drop = ['--reuid', user, '--clear-groups', '--', command, ...args];
    return await run(...group.inside(...this.stage.client.inside('setpriv', drop)));
  }

  /** The last of these names, `last.` and the name, is asked for once the ones before it did not leave in cleartext any more. */
  async eventuallyPrivate(name: string, user: string, group: ControlGroup): Promise<void> {
    let count = 0;
    await eventually(`${name} stays private`, async () => {
      count += 1;
      await this.dig(`n${count}.${name}`, user, group);
      return (await this.service.logged(`n${count}.${name}`)).clear === 'none';
    });
    await this.dig(`last.${name}`, user, group);
    expect(await this.service.logged(`last.${name}`)).toMatchObject({ rule: '', clear: 'none' });
  }

  /** A program that waits for queries, as a forwarder does. */
  async waitsOn53(user: string, group: ControlGroup): Promise<void> {
    const as = ['--reuid', user, '--clear-groups', '--', python, '-c', waits];
    const [command, args] = group.inside(...this.stage.client.inside('setpriv', as));
    const program = this.#lab.adopt(await Program.start(command, args));
    await program.ready(async () => program.stdout.includes('waits'));
  }

  /** Queries for which no socket is left when Sotto reads them. */
  async askAndClose(names: readonly string[], user: string, group: ControlGroup): Promise<void> {
    const { pid } = await this.service.status();
    process.kill(pid, 'SIGSTOP');
    try {
      await this.runAs(user, group, python, '-c', sendAndClose, ...names);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  }

  async explain(name: string, ...asker: string[]) {
    return await this.service.json<ResultOf<'rule.explain'>>('rule', 'explain', name, ...asker);
  }
}

const waits = `
import signal, socket
waiting = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
waiting.bind(('127.0.0.2', 53))
print('waits', flush=True)
signal.pause()
`;

const sendAndClose = `
import socket, sys
for name in sys.argv[1:]:
    question = b''.join(bytes([len(part)]) + part.encode() for part in name.split('.')) + b'\\0\\0\\1\\0\\1'
    asking = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    asking.connect(('127.0.0.1', 53))
    asking.send(b'\\1\\2\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0' + question)
    asking.close()
`;

/** Without Sotto's own probes, whose names nobody asked for. */
async function left(capture: Capture): Promise<string[]> {
  const queries = await capture.clearQueries();
  const names = queries.map(({ name }) => name).filter((name) => !name.startsWith('sotto-loop-'));
  return [...new Set(names)].toSorted();
}

const isLookedUp = ({ asker }: QueryEvent) => ['known', 'seems'].includes(asker.attribution);

describeInNetworks(['sotto', 'dig'], 'conditions', () => {
  it('a rule for a user sends nobody else’s names in cleartext', async () => {
    const open = await Scene.open({ bypass: [{ ...internal, when: { user: [backup] } }] });
    const group = open.group('app-gnome-anything-1.scope');
    const capture = await open.stage.capture();
    for (const transport of ['+notcp', '+tcp']) {
      const word = transport.slice(1);
      await open.gets(internalAddress, `${word}.${internalZone}`, backup, group, transport);
      expect(await open.address(`not-${word}.${internalZone}`, nobody, group, transport)).toBe(
        publicAddress,
      );
      expect(await open.address(`root-${word}.${internalZone}`, 'root', group, transport)).toBe(
        publicAddress,
      );
    }
    const word = `${internalZone} when user ${backup}`;
    // the first of its queries may have been answered as nobody's
    await eventually('the rule is in the log', async () => {
      const { rule, clear } = await open.service.logged(`tcp.${internalZone}`);
      return rule === word && clear === 'bypass';
    });
    expect(await open.service.logged(`not-tcp.${internalZone}`)).toMatchObject({
      rule: '',
      clear: 'none',
    });
    expect(await open.explain(`x.${internalZone}`, '--user', backup)).toMatchObject({
      verdict: 'bypass',
      rule: word,
    });
    const other = await open.explain(`x.${internalZone}`, '--user', nobody);
    expect(other.verdict).toBe('forward');
    expect(other.sentence).toContain(`The bypass rule for ${word} does not count`);
    expect(await left(capture)).toEqual([`notcp.${internalZone}`, `tcp.${internalZone}`]);
  });

  it('a rule for a unit holds for what root put into a slice, and for no namesake', async () => {
    const open = await Scene.open({ bypass: [{ ...internal, when: { unit: [unit] } }] });
    const capture = await open.stage.capture();
    const inside = [`system.slice/${unit}`, `system.slice/${unit}/worker`];
    const outside = [
      unit,
      `user.slice/user-65534.slice/user@65534.service/app.slice/${unit}`,
      `system.slice/docker-4711.scope/${unit}`,
      'system.slice/other.service',
    ];
    const asked = async (group: string, index: number) =>
      await open.address(`n${index}.${internalZone}`, nobody, open.group(group));
    for (const [index, group] of inside.entries())
      await open.gets(internalAddress, `n${index}.${internalZone}`, nobody, open.group(group));
    for (const [index, group] of outside.entries())
      expect(await asked(group, 10 + index), group).toBe(publicAddress);
    expect(await left(capture)).toEqual([`n0.${internalZone}`, `n1.${internalZone}`]);
  });

  it('a unit that is started again keeps its rule with its first query', async () => {
    const open = await Scene.open({ bypass: [{ ...internal, when: { unit: [unit] } }] });
    let starts = 0;
    const startedAgain = async () => {
      starts += 1;
      const name = `start${starts}.${internalZone}`;
      const group = open.group(`system.slice/${unit}`);
      const address = await open.dig(name, nobody, group);
      await group.stop();
      return isLookedUp(await open.service.logged(name)) && address;
    };
    for (const start of ['first', 'second', 'third']) {
      const address = await eventually(`who asks is known at the ${start} start`, startedAgain);
      expect(address, start).toBe(internalAddress);
    }
  });

  it('an asker whose socket is closed gets what is stricter', async () => {
    const rule = { ...internal, when: { user: [backup] } };
    const open = await Scene.open({ bypass: [rule], refuseFor: [{ user: [nobody] }] });
    const group = open.group(`system.slice/${unit}`);
    await open.gets(internalAddress, `alive.${internalZone}`, backup, group);
    const capture = await open.stage.capture();
    const names = Array.from({ length: 20 }, (_, index) => `gone${index}.${internalZone}`);
    await open.askAndClose(names, backup, group);
    const seen = await eventually('all are in the log', async () => {
      const events = await open.service.log({ name: `gone*.${internalZone}`, limit: 100 });
      return events.length === names.length && events;
    });
    for (const event of seen) expect(event).toMatchObject({ rule: '', clear: 'none' });
    expect(await left(capture)).toEqual([]);
  });

  it('in a flood those who are not looked up get what is stricter', async () => {
    const open = await Scene.open({ bypass: [{ ...internal, when: { user: [backup] } }] });
    const group = open.group('app-gnome-flood-1.scope');
    await open.gets(internalAddress, `before.${internalZone}`, backup, group);
    const capture = await open.stage.capture();
    let sent = 0;
    // a busy computer may read one flood so slowly that all of it is looked up
    const flood = async () => {
      const names = Array.from({ length: 10_000 }, (_, index) => `flood${sent + index}`);
      sent += names.length;
      const asked = names.map((name) => `${name}.${internalZone}`);
      await open.runAs(backup, group, python, '-c', sendAndClose, ...asked);
      const events = await open.service.log({ name: `flood*.${internalZone}`, limit: 10_000 });
      return events.some(({ asker }) => asker.attribution === 'not-looked-up') && events;
    };
    const seen = await eventually('some floods are not looked up', flood, floodsWithinMs);
    const inCleartext = new Set(await left(capture));
    for (const event of seen.filter((one) => !isLookedUp(one))) {
      expect(event.rule, event.name).toBe('');
      expect(inCleartext.has(event.name), event.name).toBe(false);
    }
  }, 400_000);

  it('a group takes names from some, and the cache gives its responses to nobody else', async () => {
    const upstreams = (all: object[]) =>
      all.map((one, index) => (index === 1 ? { ...one, group: 'corp' } : one));
    const open = await Scene.open({});
    await open.service.apply({
      upstreams: upstreams(open.stage.internet.upstreams),
      listen: ['127.0.0.1:53'],
      groups: { corp: { names: [internalZone], when: { user: [backup] } } },
    });
    const group = open.group('app-gnome-anything-1.scope');
    await eventually('the group is in force', async () => {
      return (await open.explain(`shared.${internalZone}`, '--user', backup)).group?.id === 'corp';
    });
    let rounds = 0;
    const events = await eventually('all four are known', async () => {
      rounds += 1;
      const name = `shared${rounds}.${internalZone}`;
      for (const user of [backup, nobody, backup, nobody])
        expect(await open.dig(name, user, group)).toBe(publicAddress);
      const answered = await eventually('all four are in the log', async () => {
        const found = await open.service.log({ name });
        return found.filter(({ outcome }) => outcome !== 'local').length >= 4 && found;
      });
      if (!answered.every(isLookedUp)) return false;
      await open.service.outcomes(name, 6);
      return await open.service.log({ name });
    });
    // whoever seems to be of the group has to ask by TCP, which proves it
    expect(events.map(({ upstream, outcome }) => `${upstream} ${outcome}`)).toEqual([
      ' local',
      'second forwarded',
      'first forwarded',
      ' local',
      'second cached',
      'first cached',
    ]);
    const said = await open.explain(`shared.${internalZone}`, '--user', backup);
    expect(said.group?.id).toBe('corp');
    expect(said.sentence).toContain('The group corp takes the name, because its condition fits.');
  });

  it('who is refused cleartext gets no downgrade, and stays private during a pause', async () => {
    const open = await Scene.open({
      bypass: [{ suffix: 'com', to: [internalDns], downgrade: true }, internal],
      refuseFor: [{ user: [nobody] }],
      systemResolvers: [gateway.v4],
    });
    const group = open.group('app-gnome-anything-1.scope');
    const capture = await open.stage.capture();
    await open.leaves('wide.com', backup, group);
    await open.dig('kiosk.com', nobody, group);
    // it may ask for the user who is refused
    await open.dig('forwarded.com', backup, open.group('system.slice/dnsmasq.service'));
    await open.gets(internalAddress, `kiosk.${internalZone}`, nobody, group);
    expect((await open.service.cli('pause', '5m')).code).toBe(0);
    let asked = 0;
    const leavesInPause = async () => {
      asked += 1;
      // a new name each time: the cache answers the others
      const name = `paused${asked}.far.example`;
      const address = await open.dig(name, backup, group);
      return (await open.service.logged(name)).clear === 'paused' && isIP(address) !== 0;
    };
    await eventually('a name leaves during the pause', leavesInPause);
    expect(await open.address('kiosk.far.example', nobody, group)).toBe(webAddress.v4);
    const names = await left(capture);
    const inPause = (name: string) => name.startsWith('paused');
    expect(names.filter((name) => !inPause(name))).toEqual([`kiosk.${internalZone}`, 'wide.com']);
    expect(names).toContain(`paused${asked}.far.example`);
    const said = await open.explain('x.com', '--user', nobody);
    expect(said).toMatchObject({ verdict: 'forward', clear: 'none', privateOnly: true });
    expect(said.sentence).toContain(`"refuseFor" (user ${nobody}) fits`);
  });

  it('who is refused cleartext does not get it by a container or by a forwarder of any name', async () => {
    const open = await Scene.open({
      bypass: [{ suffix: 'com', to: [internalDns], downgrade: true }],
      refuseFor: [{ user: [nobody] }],
    });
    await open.stage.client.write('/etc/subuid', `${nobody}:231072:65536\n`);
    const group = open.group('app-gnome-anything-1.scope');
    await open.eventuallyPrivate('container.com', '231077', group);
    const forwarder = open.group('system.slice/anything.service');
    const capture = await open.stage.capture();
    await open.leaves('alone.com', backup, forwarder);
    await open.waitsOn53('root', forwarder);
    await open.eventuallyPrivate('forwarded.com', backup, forwarder);
    await open.leaves('other.com', '300000', group);
    const leftNow = await left(capture);
    expect(leftNow).toContain('alone.com');
    expect(leftNow).toContain('other.com');
    expect(leftNow.filter((name) => name.includes('last'))).toEqual([]);
  });

  it('nobody is looked up for names without a condition', async () => {
    const rule = { ...internal, when: { user: [backup] } };
    const open = await Scene.open({ bypass: [rule], queryLog: { mode: 'off' } });
    const group = open.group('app-gnome-anything-1.scope');
    expect(await open.address('www.far.example', backup, group)).toBe(webAddress.v4);
    expect(await lookUpSockets(open)).toBe(0);
    await open.gets(internalAddress, `now.${internalZone}`, backup, group);
    expect(await lookUpSockets(open)).toBe(1);
  });
});

/** Sockets of programs on this computer that ask the kernel about sockets (NETLINK_SOCK_DIAG); Sotto opens its own for its first look-up. */
async function lookUpSockets({ stage }: Scene): Promise<number> {
  const rows = (await stage.client.read('/proc/net/netlink')).split('\n');
  const columns = rows.map((row) => row.trim().split(/\s+/));
  return columns.filter(([, protocol, owner]) => protocol === '4' && owner !== '0').length;
}
