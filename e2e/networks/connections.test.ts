/** The audit of connections: real programs that reach addresses with and without a name. The captures are the judge. */
import { expect, it } from 'vitest';
import type {
  ConnectionAudit,
  ConnectionsReport,
  ListedAddress,
} from '../../app/contract/system/connections.ts';
import { commandLine, describeInNetworks } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { type Lab, labForTest } from '../rig/lab.ts';
import { Capture } from '../rig/network/capture.ts';
import { Program } from '../rig/process.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { ControlGroup } from './control-group.ts';
import { InstalledService } from './installed-service.ts';
import { station } from './local-network.ts';
import type { Machine } from './machine.ts';
import { NetworkStage } from './network-stage.ts';

const python = '/usr/bin/python3';

/** The internet has all of these; the names lead to the first ones. Quad9's address is that of a known resolver. */
const named = { v4: '203.0.113.20', v6: '2001:db8:7::20', hinted: '203.0.113.21' } as const;
const unnamed = {
  curl: '203.0.113.30',
  python: '203.0.113.31',
  six: '2001:db8:7::31',
  datagrams: '203.0.113.32',
  before: '203.0.113.33',
  quad9: '9.9.9.9',
} as const;
const visitor = '203.0.113.40';
const many = Array.from({ length: 200 }, (_, number) => `198.18.7.${number + 1}`);
/** All of it is the internet's where a test routes it there. */
const flooded = '198.18.16.0/20';
const names = {
  'held.example': [`A ${named.v4}`, `AAAA ${named.v6}`],
  'hinted.example': [`HTTPS 1 . alpn=h2 ipv4hint=${named.hinted}`],
  'many.example': many.map((address) => `A ${address}`),
};

/** Accepts on ports of every address, sends nothing, and closes nothing. */
const holder = `
import socket, sys, threading
def hold(port):
    listener = socket.create_server(('::', port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=4096)
    kept = []
    print('listening', flush=True)
    while True:
        kept.append(listener.accept())
threads = [threading.Thread(target=hold, args=(int(port),)) for port in sys.argv[1:]]
for thread in threads: thread.start()
`;

/** Connects to HOST/PORT/PROTOCOL[/FROM] each, and stays connected. A name without an address is looked up again. */
const opener = `
import signal, socket, sys
kept = []
def found(host, port, kind):
    for _ in range(20):
        try: return socket.getaddrinfo(host, port, type=kind)[0]
        except socket.gaierror as error: last = error
    raise last
for place in sys.argv[1:]:
    host, port, protocol, *source = place.split('/')
    kind = socket.SOCK_DGRAM if protocol == 'udp' else socket.SOCK_STREAM
    family, kind, _, _, address = found(host, int(port), kind)
    one = socket.socket(family, kind)
    if source: one.bind((source[0], 0))
    one.connect(address)
    if protocol == 'udp': one.send(b'hello')
    kept.append(one)
print('connected', flush=True)
signal.pause()
`;

async function openStage(lab: Lab): Promise<NetworkStage> {
  const stage = await NetworkStage.open(lab, { names });
  const { client, internet } = stage;
  const others = [...Object.values(named), ...Object.values(unnamed), visitor, many[136] ?? ''];
  for (const address of others) {
    const isIPv6 = address.includes(':');
    const prefix = isIPv6 ? 128 : 32;
    const options = isIPv6 ? ['nodad'] : [];
    await internet.namespace.ip('addr', 'add', `${address}/${prefix}`, 'dev', 'lo', ...options);
  }
  const ports = ['443', '8080'];
  const server = lab.adopt(await internet.namespace.start(python, ['-c', holder, ...ports]));
  await server.ready(async () => server.stdout.split('listening').length > ports.length);
  await client.write('/etc/resolv.conf', 'nameserver 127.0.0.1\n');
  await client.write('/etc/nsswitch.conf', 'hosts: dns\n');
  // A network namespace has a /sys of its own, without what is mounted below it.
  await client.succeed('mount', '-t', 'cgroup2', 'cgroup2', '/sys/fs/cgroup');
  return stage;
}

async function startService(lab: Lab, { client, internet }: NetworkStage, audit = true) {
  const settings = {
    upstreams: internet.upstreams,
    listen: ['127.0.0.1:53'],
    audit: { connections: audit },
  };
  return await SottoService.start(lab, settings, 53, { on: client });
}

/** Starts a program in a control group named after it, and waits until it has connected. */
async function connect(lab: Lab, client: Machine, program: string, ...places: string[]) {
  const group = ControlGroup.create(lab, `app-gnome-${program}-4711.scope`);
  const command = client.inside(python, ['-c', opener, ...places]);
  const started = lab.adopt(await Program.start(...group.inside(...command)));
  await started.ready(async () => started.stdout.includes('connected'));
  return started;
}

async function audited(service: SottoService | InstalledService): Promise<ConnectionAudit> {
  const { audit } = await service.json<ConnectionsReport>('connections');
  if (audit === null) throw new Error('there is no audit');
  return audit;
}

/** The audit once it lists all of these, whatever it lists besides. */
async function auditWith(service: SottoService, ...wanted: string[]): Promise<ConnectionAudit> {
  return await eventually(`${wanted.join()} listed`, async () => {
    const audit = await audited(service);
    const listed = rowsOf(audit).map(({ address }) => address);
    return wanted.every((address) => listed.includes(address)) && audit;
  });
}

function rowsOf({ programs }: ConnectionAudit): (ListedAddress & { program: string })[] {
  return programs.flatMap(({ program, addresses }) =>
    addresses.map((one) => ({ program, ...one })),
  );
}

function namelessIn(audit: ConnectionAudit): string[] {
  const rows = rowsOf(audit).filter(({ standing }) => standing === 'nameless');
  return rows
    .map(({ program, address, port, protocol }) => `${program} ${protocol} ${address} ${port}`)
    .sort();
}

describeInNetworks(['sotto', 'dig', 'curl'], 'connections without a name', () => {
  it('are those that the capture saw to addresses in no response, and no others', async () => {
    const lab = await labForTest();
    const stage = await openStage(lab);
    const { client, internet } = stage;
    const service = await startService(lab, stage);
    await eventually('the first look', async () => (await audited(service)).seen !== null);
    const cable = await stage.capture();
    const loopback = await Capture.start(lab, client.namespace, 'lo', '127.0.0.1');

    for (const [name, type, address] of [
      ['hinted.example', 'HTTPS', named.hinted],
      ['held.example', 'A', named.v4],
      ['held.example', 'AAAA', named.v6],
    ] as const)
      await eventually(`${address} is given`, async () => {
        const asked = await client.run('dig', ['@127.0.0.1', '+short', name, type]);
        return asked.stdout.includes(address);
      });
    await connect(
      lab,
      client,
      'honest',
      'held.example/443/tcp',
      `${named.v6}/8080/tcp`,
      `${named.hinted}/443/tcp`,
    );
    await connect(
      lab,
      client,
      'stubborn',
      `${unnamed.python}/443/tcp`,
      `${unnamed.python}/443/tcp`,
      `${unnamed.six}/8080/tcp`,
      `${unnamed.datagrams}/443/udp`,
    );
    await connect(lab, client, 'resolving', `${unnamed.quad9}/443/tcp`);
    for (const host of ['held.example', unnamed.curl]) {
      const group = ControlGroup.create(lab, `app-gnome-curl\\x2d${host}-1.scope`);
      const words = ['--max-time', '600', '--ipv4', '--silent', `http://${host}:8080/`];
      lab.adopt(await Program.start(...group.inside(...client.inside('curl', words))));
    }
    await acceptOne(lab, stage);

    await auditWith(service, ...Object.values(unnamed).filter((one) => one !== unnamed.before));
    // the last look may have been before the visitor came
    const audit = await eventually('who was accepted is seen', async () => {
      const now = await audited(service);
      return (now.seen?.accepted ?? 0) > 0 && (now.seen?.own ?? 0) > 0 && now;
    });
    expect(namelessIn(audit)).toEqual([
      `curl-${unnamed.curl} tcp ${unnamed.curl} 8080`,
      `resolving tcp ${unnamed.quad9} 443`,
      `stubborn tcp ${unnamed.six} 8080`,
      `stubborn tcp ${unnamed.python} 443`,
      `stubborn udp ${unnamed.datagrams} 443`,
    ]);
    const row = (address: string) => rowsOf(audit).find((one) => one.address === address);
    expect(row(unnamed.python)).toMatchObject({ connections: 2, open: 2, resolver: null });
    expect(row(unnamed.quad9)?.resolver).toBe('Quad9');

    // the computer may have several IPv6 addresses
    const syn = `tcp.flags.syn == 1 && tcp.flags.ack == 0 && !(ip.dst == ${station.v4})`;
    const opened = await cable.rows(syn, ['ip.dst', 'ipv6.dst']);
    const given = await loopback.rows('dns.flags.response == 1', [
      'dns.a',
      'dns.aaaa',
      'dns.svcb.svcparam.ipv4hint.ip',
    ]);
    const upstreams = internet.upstreams.flatMap(({ address }) => address);
    const known = new Set([...given.flat().flatMap((field) => field.split(/[;,]/)), ...upstreams]);
    const strangers = new Set(
      opened.flat().filter((address) => address !== '' && !known.has(address)),
    );
    expect([...strangers].sort()).toEqual(
      [unnamed.curl, unnamed.python, unnamed.six, unnamed.quad9].sort(),
    );
    const listed = rowsOf(audit).filter(
      ({ protocol, standing }) => protocol === 'tcp' && standing === 'nameless',
    );
    expect(new Set(listed.map(({ address }) => address))).toEqual(strangers);
  });

  it('are not those that were open before; those are listed apart', async () => {
    const lab = await labForTest();
    const stage = await openStage(lab);
    const service = await startService(lab, stage, false);
    expect(await service.json('connections')).toEqual({ audit: null, limits: [] });
    await connect(lab, stage.client, 'early', `${unnamed.before}/443/tcp`);
    await service.cli('config', 'set', 'audit.connections', 'true');
    const audit = await auditWith(service, unnamed.before);
    expect(rowsOf(audit)).toMatchObject([{ program: 'early', standing: 'older' }]);
    await connect(lab, stage.client, 'late', `${unnamed.before}/443/tcp`);
    await eventually('the later one is listed as what it is', async () => {
      return namelessIn(await audited(service)).join() === `late tcp ${unnamed.before} 443`;
    });
    const text = (await service.cli('connections')).stdout;
    expect(text).toContain('older than the audit');
    expect(text).toContain("The system's DNS is not with Sotto.");
    await service.cli('config', 'set', 'audit.connections', 'false');
    expect(await service.json('connections')).toEqual({ audit: null, limits: [] });
  });

  it('are forgotten with the query log, and so are the addresses given', async () => {
    const lab = await labForTest();
    const stage = await openStage(lab);
    const service = await startService(lab, stage);
    await eventually('the first look', async () => (await audited(service)).seen !== null);
    await connect(lab, stage.client, 'honest', 'held.example/443/tcp');
    const short = await connect(lab, stage.client, 'stubborn', `${unnamed.python}/443/tcp`);
    const before = await auditWith(service, unnamed.python);
    expect(before.addresses).toBeGreaterThan(0);
    await short.stop();
    await service.cli('log', 'erase', '--yes');
    const after = await audited(service);
    expect(after.since).toBeGreaterThan(before.since);
    expect([
      after.addresses,
      rowsOf(after).filter(({ address }) => address === unnamed.python),
    ]).toEqual([0, []]);
    expect(rowsOf(after)).toMatchObject([{ program: 'honest', standing: 'older' }]);
  });

  it('are none to any of two hundred addresses that one response gave', async () => {
    const lab = await labForTest();
    const stage = await openStage(lab);
    const service = await startService(lab, stage);
    const { addresses: before } = await eventually('the first look', async () => {
      const audit = await audited(service);
      return audit.seen !== null && audit;
    });
    const dig = async (...words: string[]) =>
      (await stage.client.succeed('dig', '@127.0.0.1', '+short', ...words, 'many.example')).trim();
    expect(await dig('+ignore')).toBe('');
    expect((await audited(service)).addresses, 'what was cut off was not given').toBe(before);
    await eventually('all are given', async () => {
      return (await dig('+tcp')).split('\n').length === many.length;
    });
    await connect(lab, stage.client, 'honest', `${many[136]}/443/tcp`);
    const audit = await eventually('it is seen', async () => {
      const audit = await audited(service);
      return (audit.seen?.named ?? 0) > 0 && audit;
    });
    expect(audit.addresses).toBe(before + many.length);
    expect(rowsOf(audit)).toEqual([]);
  });

  it('of one program push out none of another, however many they are', async () => {
    const lab = await labForTest();
    const stage = await openStage(lab);
    await stage.internet.namespace.ip('route', 'add', 'local', flooded, 'dev', 'lo');
    const service = await startService(lab, stage);
    await eventually('the first look', async () => (await audited(service)).seen !== null);
    await connect(lab, stage.client, 'quiet', `${unnamed.python}/443/tcp`);
    await auditWith(service, unnamed.python);
    const places = Array.from({ length: 2000 }, (_, number) => {
      return `198.18.${16 + Math.floor(number / 250)}.${(number % 250) + 1}/443/tcp`;
    });
    await connect(lab, stage.client, 'flood', ...places);
    const audit = await eventually('all are seen', async () => {
      const audit = await audited(service);
      return (audit.seen?.listed ?? 0) > places.length && audit;
    });
    const of = (name: string) => rowsOf(audit).filter(({ program }) => program === name);
    expect(of('quiet').map(({ address }) => address)).toEqual([unnamed.python]);
    expect(of('flood').length + audit.leftOut).toBe(places.length);
    expect(of('flood').length).toBeLessThan(100);
  });

  it('are shown to an administrator and to nobody else', async () => {
    const lab = await labForTest();
    const stage = await openStage(lab);
    const { client, internet } = stage;
    const settings = { upstreams: internet.upstreams, audit: { connections: true } };
    const service = await InstalledService.start(lab, client, settings);
    const nobody = ['--reuid', '65534', '--regid', '65534', '--clear-groups', '--'];
    const words = [
      'env',
      'SOTTO_MODE=system',
      process.execPath,
      commandLine,
      'connections',
      '--json',
    ];
    const { stderr, stdout } = await client.run('/usr/bin/setpriv', [...nobody, ...words]);
    expect([stdout, stderr]).toEqual(['', expect.stringContaining('"forbidden"')]);
    expect((await audited(service)).trouble).toBe('');
  });
});

/** A computer of the internet, with a public address, connects to the client. */
async function acceptOne(lab: Lab, { client, internet }: NetworkStage): Promise<void> {
  const server = await client.start(python, ['-c', holder, '22']);
  await server.ready(async () => server.stdout.includes('listening'));
  const words = ['-c', opener, `${station.v4}/22/tcp/${visitor}`];
  const visiting = lab.adopt(await internet.namespace.start(python, words));
  await visiting.ready(async () => visiting.stdout.includes('connected'));
}
