/** The query log says which program asked: real programs, each in a control group of its own, and programs that would deceive. */
import { randomInt } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { QueryEvent } from '../../app/contract/query-log/query-event.ts';
import { target } from '../../build/places.mjs';
import { describeInNetworks } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { type Lab, labForTest } from '../rig/lab.ts';
import { type Finished, Program, run, succeed } from '../rig/process.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { unpackedChromium } from '../ui/packaged-chromium.ts';
import { ControlGroup } from './control-group.ts';
import type { Machine } from './machine.ts';
import { NetworkStage } from './network-stage.ts';

/** As systemd ends the names of scopes; the machine's other control groups have other names. */
const random = randomInt(1_000_000_000);
/** Debian's number of the user nobody. */
const nobody = '65534';
const python = '/usr/bin/python3';

/** Sends a query for $1 from a new socket to 127.0.0.1, then does what $2 says. */
const sender = `
import ctypes, os, socket, sys, time
name, then = sys.argv[1:3]
question = b''.join(bytes([len(part)]) + part.encode() for part in name.split('.')) + b'\\0\\0\\1\\0\\1'
def send():
    asking = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    asking.settimeout(20)
    asking.connect(('127.0.0.1', 53))
    asking.send(b'\\1\\2\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0' + question)
    return asking
if then == 'renamed':
    ctypes.CDLL(None).prctl(15, b'sshd', 0, 0, 0)
if then == 'moved':
    asking = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    asking.connect(('127.0.0.1', 53))
    open('/sys/fs/cgroup/' + sys.argv[3] + '/cgroup.procs', 'w').write(str(os.getpid()))
    asking.settimeout(20)
    asking.send(b'\\1\\2\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0' + question)
else:
    asking = send()
if then == 'gone':
    os._exit(0)
if then == 'forked' and os.fork() != 0:
    os._exit(0)
asking.recv(512)
time.sleep(float(sys.argv[3]) if then == 'renamed' else 0)
`;

/** Sends queries for a name with the label $1, each from a new socket that it closes at once. */
const hasty = `
import socket, sys
label = sys.argv[1].encode()
name = bytes([len(label)]) + label + b'\\x03far\\x07example\\0'
for number in range(3000):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect(('127.0.0.1', 53))
            asking.send(b'\\1\\2\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0' + name + b'\\0\\1\\0\\1')
        except OSError:
            pass
`;

async function open(lab: Lab, ports = '32768 60999') {
  const { client, internet } = await NetworkStage.open(lab);
  await client.succeed('sysctl', '-qw', `net.ipv4.ip_local_port_range=${ports}`);
  await client.write('/etc/resolv.conf', 'nameserver 127.0.0.1\n');
  await client.write('/etc/nsswitch.conf', 'hosts: dns\n');
  // A network namespace has a /sys of its own, without what is mounted below it.
  await client.succeed('mount', '-t', 'cgroup2', 'cgroup2', '/sys/fs/cgroup');
  const settings = { upstreams: internet.upstreams, listen: ['127.0.0.1:53'] };
  const service = await SottoService.start(lab, settings, 53, { on: client });
  return { client, service };
}

/** Runs a program on the computer, in a group of its own. */
async function runIn(
  group: ControlGroup,
  client: Machine,
  command: string,
  ...args: string[]
): Promise<Finished> {
  return await run(...group.inside(...client.inside(command, args)));
}

async function send(group: ControlGroup, client: Machine, ...args: string[]): Promise<Finished> {
  return await runIn(group, client, python, '-c', sender, ...args);
}

/**
 * Who asked for the name, according to the log, once its program is told: on a busy computer a query may lie unread for so long that
 * nobody knows any more, and a program's name is not waited for.
 */
async function told(
  service: SottoService,
  name: string,
  ask: () => Promise<unknown>,
): Promise<QueryEvent['asker']> {
  return await eventually(`the program that asked for ${name}`, async () => {
    const begun = Date.now();
    await ask();
    const { asker } = await newest(service, name, begun);
    return asker.program !== '' && asker;
  });
}

/** Of the queries for a name that came since then. */
async function newest(service: SottoService, name: string, since: number): Promise<QueryEvent> {
  return await eventually(`${name} in the log`, async () => {
    const [event] = await service.log({ name, limit: 1 });
    return event !== undefined && event.at >= since && event;
  });
}

describeInNetworks(['sotto', 'dig', 'kdig', 'curl'], 'which program asked', () => {
  it('is told of real programs by their control group and their user', async () => {
    const lab = await labForTest();
    const { client, service } = await open(lab);
    const lookups: [string, string, string[]][] = [
      ['dig', 'dig', ['@127.0.0.1', 'dig.far.example']],
      ['dig-tcp', 'dig', ['@127.0.0.1', '+tcp', 'dig-tcp.far.example']],
      ['kdig', 'kdig', ['@127.0.0.1', 'kdig.far.example']],
      ['curl', 'curl', ['--max-time', '5', 'http://curl.far.example/']],
      ['getent', 'getent', ['ahosts', 'getent.far.example']],
      ['python', python, ['-c', 'import socket; socket.getaddrinfo("python.far.example", 80)']],
      ['node', process.execPath, ['-e', 'require("dns").lookup("node.far.example", () => {})']],
      [
        'node-resolve',
        process.execPath,
        ['-e', 'require("dns").resolve4("node-resolve.far.example", () => {})'],
      ],
    ];
    for (const [program, command, args] of lookups) {
      const group = ControlGroup.create(
        lab,
        `app-gnome-${program.replaceAll('-', '\\x2d')}-${random}.scope`,
      );
      const asker = await told(service, `${program}.far.example`, async () => {
        await runIn(group, client, 'setpriv', '--reuid', nobody, '--', command, ...args);
      });
      const attribution = program === 'dig-tcp' ? 'known' : 'seems';
      expect(asker, program).toMatchObject({ attribution, program, user: 'nobody' });
    }
    const found = await service.cli('log', '--json', 'program:kdig');
    expect(found.stdout).toContain('kdig.far.example');
    expect(found.stdout).not.toContain('"dig.far.example"');
    expect((await service.cli('log', '--', 'user:nobody', '-program:dig*')).stdout).toContain(
      'curl',
    );
  });

  it('is told of programs in new groups among thousands', async () => {
    const lab = await labForTest();
    for (let number = 0; number < 2000; number += 1)
      ControlGroup.create(lab, `app-gnome-crowd${number}-${random}.scope`);
    const { client, service } = await open(lab);
    for (const program of ['one', 'two', 'three']) {
      const name = `${program}.far.example`;
      const group = ControlGroup.create(lab, `app-gnome-${program}-${random}.scope`);
      const asker = await told(service, name, () => send(group, client, name, 'stays'));
      expect(asker).toMatchObject({ attribution: 'seems', program });
    }
  });

  it('is told of the executable that holds the socket, where several share a group', async () => {
    const lab = await labForTest();
    const { client, service } = await open(lab);
    const group = ControlGroup.create(lab, `session-${random}.scope`);
    const waits = lab.adopt(
      await Program.start(...group.inside(...client.inside('sleep', ['1000']))),
    );
    const name = 'stays.far.example';
    const asker = await told(service, name, () => send(group, client, name, 'renamed', '1'));
    expect(asker.program).toBe('session');
    const real = (await client.succeed('readlink', '-f', python)).trim();
    expect(asker.executable).toBe(real);
    await waits.stop('SIGKILL');
  });

  it('is the one that opened the socket, whatever it does afterwards', async () => {
    const lab = await labForTest();
    const { client, service } = await open(lab);
    const group = ControlGroup.create(lab, `app-gnome-honest-${random}.scope`);
    const other = `app-gnome-other-${random}.scope`;
    ControlGroup.create(lab, other);
    for (const word of ['forked', 'moved']) {
      const name = `${word}.far.example`;
      const asker = await told(service, name, () => send(group, client, name, word, other));
      expect(asker.program, name).toBe('honest');
    }
    await Promise.all(
      Array.from({ length: 40 }, (_, number) =>
        send(group, client, `gone${number}.far.example`, 'gone'),
      ),
    );
    const left = await eventually('all are in the log', async () => {
      const events = await service.log({ name: 'gone*.far.example', limit: 100 });
      return events.length === 40 && events;
    });
    for (const { asker } of left) expect(knownOrUnknown(asker)).toContain(asker.program);
  });

  it('is not looked up in a flood beyond the bound, and nobody is named for another', async () => {
    const lab = await labForTest();
    const { client, service } = await open(lab);
    const group = ControlGroup.create(lab, `app-gnome-flood-${random}.scope`);
    const flood = `
import socket, sys
for number in range(6000):
    asking = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    asking.connect(('127.0.0.1', 53))
    name = b'\\x05flood\\x03far\\x07example\\0'
    asking.send(b'\\1\\2\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0' + name + b'\\0\\1\\0\\1')
    asking.close()
`;
    const quiet = ControlGroup.create(lab, `app-gnome-quiet-${random}.scope`);
    // a busy computer may read one flood so slowly that all of it is looked up
    const seen = await eventually('some of the floods are not looked up', async () => {
      await runIn(group, client, python, '-c', flood);
      const events = await service.log({ name: 'flood.far.example', limit: 10_000 });
      return events.some(({ asker }) => asker.attribution === 'not-looked-up') && events;
    });
    for (const { asker } of seen)
      expect(asker.attribution === 'seems' ? ['flood', ''] : ['']).toContain(asker.program);
    const name = 'quiet.far.example';
    // the flood before it may have left no room for it
    const [event] = await eventually(`${name} in the log`, async () => {
      await send(quiet, client, name, 'stays');
      const events = await service.log({ name, limit: 1 });
      return events.length > 0 && events;
    });
    expect(event?.asker.program).toMatch(/^(quiet|)$/);
  });

  it('is never another one where ports come again at once', async () => {
    const lab = await labForTest();
    const { client, service } = await open(lab, '40000 40003');
    const rivals = [
      ['nobody', nobody],
      ['root', '0'],
    ] as const;
    const sent = async (user: string) =>
      await service.log({ name: `${user}.far.example`, limit: 10_000 });
    const seen = await eventually('what both sent is in the log', async () => {
      await Promise.all(
        rivals.map(([user, number]) =>
          client.succeed('setpriv', '--reuid', number, '--', python, '-c', hasty, user),
        ),
      );
      const events = await Promise.all(rivals.map(([user]) => sent(user)));
      return events.every(({ length }) => length > 1000) && events;
    });
    for (const [index, [user]] of rivals.entries()) {
      const named = new Set(seen[index]?.map(({ asker }) => asker.user));
      expect([user, '']).toEqual(expect.arrayContaining([...named]));
    }
  });

  it('is in no log where the setting says so', async () => {
    const lab = await labForTest();
    const { client, service } = await open(lab);
    const group = ControlGroup.create(lab, `app-gnome-secret-${random}.scope`);
    const before = 'before.far.example';
    const known = await told(service, before, () => send(group, client, before, 'stays'));
    expect(known.program).toBe('secret');
    const set = await service.cli('config', 'set', 'queryLog.programs', 'false');
    expect(set.code, set.stderr).toBe(0);
    await send(group, client, 'secret.far.example', 'stays');
    const { asker } = await service.logged('secret.far.example');
    expect(asker).toMatchObject({ attribution: 'not-looked-up', program: '', user: '' });
    const programs = async () => (await service.json<{ programs: unknown[] }>('stats')).programs;
    await expect.poll(programs).toEqual([]);
  });
});

function knownOrUnknown({ attribution }: QueryEvent['asker']): string[] {
  return attribution === 'seems' ? ['honest'] : [''];
}

const inMusl = `
#include <netdb.h>
int main(int count, char **words) {
  struct addrinfo *found;
  return getaddrinfo(words[1], "80", 0, &found);
}
`;
const inGo = `package main

import (
	"net"
	"os"
)

func main() { net.LookupHost(os.Args[1]) }
`;

/** Each has a resolver of its own. */
describeInNetworks(['sotto', 'musl-gcc'], 'musl', () => {
  it('is a program that asks', async () => {
    const lab = await labForTest();
    const [source, program] = [join(lab.directory, 'musl.c'), join(lab.directory, 'musl')];
    await writeFile(source, inMusl);
    await succeed('musl-gcc', ['-static', '-o', program, source]);
    await isTold(lab, 'musl', program, 'musl.far.example');
  });
});

/** A container's first process, with the network of the computer. */
describeInNetworks(['sotto', 'podman', 'crun', 'musl-gcc'], 'a container', () => {
  it('is told of by its engine and its number', async () => {
    const lab = await labForTest();
    const { client, service } = await open(lab);
    const [source, files] = [join(lab.directory, 'musl.c'), join(lab.directory, 'files')];
    await mkdir(join(files, 'etc'), { recursive: true });
    await writeFile(join(files, 'etc/resolv.conf'), 'nameserver 127.0.0.1\n');
    await writeFile(source, inMusl);
    await succeed('musl-gcc', ['-static', '-o', join(files, 'ask'), source]);
    const places = [
      '--root',
      join(lab.directory, 'store'),
      '--runroot',
      join(lab.directory, 'run'),
    ];
    const engine = ['--cgroup-manager', 'cgroupfs', '--runtime', 'crun', ...places];
    const limits = ['--privileged', '--ulimit', 'nofile=64:64', '--ulimit', 'nproc=64:64'];
    const started = ['run', '--network', 'host', '--pids-limit', '0', ...limits, '--rootfs', files];
    const name = 'podman.far.example';
    const asker = await told(service, name, async () => {
      await client.succeed('podman', ...engine, ...started, '/ask', name);
    });
    // the last one first
    const [id] = (await client.succeed('podman', ...engine, 'ps', '-alq')).trim().split('\n');
    expect(asker).toMatchObject({ attribution: 'seems', program: 'podman', container: id });
    await client.succeed('podman', ...engine, 'rm', '-a');
  });
});

describeInNetworks(['sotto', 'go'], 'Go', () => {
  it('is a program that asks', async () => {
    const lab = await labForTest();
    const [source, program] = [join(lab.directory, 'go.go'), join(lab.directory, 'go')];
    await writeFile(source, inGo);
    const env = { CGO_ENABLED: '0', GOCACHE: join(target, 'go'), GOPATH: join(target, 'go') };
    await succeed('go', ['build', '-o', program, source], { env });
    await isTold(lab, 'go', program, 'go.far.example');
  });
});

describeInNetworks(['sotto'], 'Chromium', () => {
  it('is a program that asks', async () => {
    const lab = await labForTest();
    const { executablePath, env } = await unpackedChromium();
    const words = ['--headless', '--no-sandbox', '--disable-gpu', '--dump-dom'];
    const own = [`--user-data-dir=${join(lab.directory, 'profile')}`];
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const command = ['env', ...variables, executablePath, ...words, ...own];
    await isTold(lab, 'chromium', ...command, 'http://chromium.far.example/');
  });
});

/** Its last word holds the name, which begins with the program's. */
async function isTold(lab: Lab, program: string, ...words: string[]): Promise<void> {
  const { client, service } = await open(lab);
  const group = ControlGroup.create(lab, `app-gnome-${program}-${random}.scope`);
  const [command = '', ...args] = words;
  const name = `${program}.far.example`;
  const queries = async () => (await service.log({ name })).length;
  const asker = await told(service, name, async () => {
    const before = await queries();
    const asking = lab.adopt(await Program.start(...group.inside(...client.inside(command, args))));
    await eventually(`${name} is asked for`, async () => (await queries()) > before);
    await asking.stop('SIGKILL');
  });
  expect(asker).toMatchObject({ attribution: 'seems', program, user: 'root' });
}
