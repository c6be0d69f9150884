/**
 * The .deb where systemd is process 1, which is shut down and booted again, or whose power is cut. From the first moment of the
 * next boot a program looks up a new name every 50 ms, and under refuse the network's resolver, which runs all the time, receives
 * none.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { root } from '../../build/places.mjs';
import { describeWith } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { type Lab, labForTest } from '../rig/lab.ts';
import { Program } from '../rig/process.ts';
import { treeOf, type UnpackedPackage, whyNotUnpacked } from '../rig/unpacked.ts';
import { bootMs, Computer, journalOf, whyNoSystemd } from './booted-computer.ts';
import { InstallTarget, sources } from './install-target.ts';
import { madePackage, whyNoPackages } from './made-packages.ts';
import { NetworkResolver } from './network-resolver.ts';
import { startUpstream } from './upstream.ts';

const network = '192.0.2.53';
/** A DHCP server that gives an address and this network's resolver. */
const dhcpServer = join(root, 'e2e/networks/dhcp-server-program.ts');
const resolvConf = `nameserver ${network}\nsearch office.example\n`;
const bootId = '/proc/sys/kernel/random/boot_id';

/** A program that every boot starts among the first; the beginning of its names tells the boot. */
const asking = `
import { lookup } from 'node:dns';
import { readFileSync, writeFileSync } from 'node:fs';
const word = readFileSync('${bootId}', 'utf8').slice(0, 8);
let asked = 0;
setInterval(() => {
  lookup(\`\${word}-\${++asked}.herald.example\`, () => {});
  writeFileSync('/run/asked', String(asked));
}, 50);
`;
const askingUnit = `[Unit]
DefaultDependencies=no
After=local-fs.target
Before=sysinit.target
[Service]
Type=exec
Environment=UV_THREADPOOL_SIZE=512
ExecStart=/usr/lib/sotto/bin/node /srv/asking.mjs
[Install]
WantedBy=sysinit.target
`;

const sottoOnly = 'nameserver 127.0.0.1';
const enable = (...units: string[]) => `systemctl enable --now ${units.join(' ')}`;
/** Here /lib and /sbin are links into /usr. */
const unpack = (name: UnpackedPackage) =>
  `cd ${sources}/${relative(root, treeOf(name))}
   for folder in etc usr lib sbin; do
     test ! -d $folder || cp -a $folder/. "$(readlink -f /$folder)"
   done
   systemd-sysusers
   systemctl daemon-reload`;

const resolved = [
  unpack('systemd-resolved'),
  'systemctl reload dbus || systemctl restart dbus',
  enable('systemd-resolved'),
  'ln -sf ../run/systemd/resolve/stub-resolv.conf /etc/resolv.conf',
];
const networkd = [
  `printf '[Match]\\nName=eth0\\n[Network]\\nLinkLocalAddressing=no\\nIPv6AcceptRA=no\\nAddress=192.0.2.7/24\\nGateway=192.0.2.1\\nDNS=${network}\\n' > /etc/systemd/network/eth0.network`,
  enable('systemd-networkd'),
];
const profile = `[connection]\\nid=wired\\nuuid=7a7c5f6e-6f0f-4d6f-9d7e-0f5a1d0c0001\\ntype=ethernet\\ninterface-name=eth0\\n[ipv4]\\nmethod=manual\\naddress1=192.0.2.7/24,192.0.2.1\\ndns=${network};\\ndns-search=herald.example;\\n[ipv6]\\nmethod=disabled\\n`;
/** An administrator's own setting, which nothing below /run overrides. */
const manager = (dns: 'default' | 'systemd-resolved') => [
  `printf '[main]\\nplugins=keyfile\\nauth-polkit=false\\nno-auto-default=*\\ndns=${dns}\\n' > /etc/NetworkManager/NetworkManager.conf`,
  `printf '${profile}' > /etc/NetworkManager/system-connections/eth0.nmconnection`,
  'chmod 600 /etc/NetworkManager/system-connections/eth0.nmconnection',
  'rm -f /etc/network/interfaces /usr/lib/NetworkManager/conf.d/10-globally-managed-devices.conf',
  enable('NetworkManager'),
];

/** As ifupdown starts it; here it renews each second, and each time passes on what the network sends. */
const dhclientUnit = `[Unit]
DefaultDependencies=no
After=local-fs.target network-pre.target
Before=network.target
[Service]
Type=exec
ExecStart=/sbin/dhclient -d eth0
[Install]
WantedBy=sysinit.target
`;
const dhclient = [
  unpack('isc-dhcp-client'),
  'rm -f /etc/network/interfaces',
  `printf '${dhclientUnit.replaceAll('\n', '\\n')}' > /etc/systemd/system/dhclient.service`,
  enable('dhclient'),
];

const interfaces = `auto eth0\\niface eth0 inet static\\naddress 192.0.2.7/24\\ngateway 192.0.2.1\\ndns-nameservers ${network}\\ndns-search herald.example\\n`;
/** ifup tells resolvconf of each link when it comes. */
const ifupdown = [
  unpack('ifupdown'),
  'systemctl mask ifupdown-pre.service',
  `printf '${interfaces}' > /etc/network/interfaces`,
  enable('networking'),
];

const fiveBootsMs = 900_000;

interface Way {
  mechanism: string;
  needs: UnpackedPackage[];
  prepare: string[];
}

const ways: Record<string, Way> = {
  'the file alone': { mechanism: 'file', needs: [], prepare: [] },
  'the file, which dhclient writes': {
    mechanism: 'file',
    needs: ['isc-dhcp-client'],
    prepare: dhclient,
  },
  'NetworkManager, which writes the file': {
    mechanism: 'network-manager',
    needs: [],
    prepare: manager('default'),
  },
  'resolvconf, which ifupdown tells': {
    mechanism: 'resolvconf',
    needs: ['resolvconf', 'ifupdown'],
    prepare: [
      unpack('resolvconf'),
      'ln -sfn /run/resolvconf /etc/resolvconf/run',
      'systemd-tmpfiles --create resolvconf.conf',
      enable('resolvconf'),
      'ln -sf ../run/resolvconf/resolv.conf /etc/resolv.conf',
      ...ifupdown,
    ],
  },
  'openresolv, which ifupdown tells': {
    mechanism: 'resolvconf',
    needs: ['openresolv', 'ifupdown'],
    prepare: [unpack('openresolv'), ...ifupdown],
  },
  'systemd-resolved, which NetworkManager tells of a stored profile': {
    mechanism: 'resolved',
    needs: ['systemd-resolved'],
    prepare: [...resolved, ...manager('systemd-resolved')],
  },
  'systemd-resolved and networkd': {
    mechanism: 'resolved',
    needs: ['systemd-resolved'],
    prepare: [...resolved, ...networkd],
  },
};

/** The output of the boot's own unit comes first, because many names may have left. */
const nothingLeft = {
  boot: expect.stringMatching(/^Result=success\nExecMainStartTimestampMonotonic=[1-9]/),
  leaked: [],
};

it('needs nothing in /tmp for the unit that starts first, because /tmp is emptied then', async () => {
  const folder = join(root, 'build/system');
  const files = (await readdir(folder)).filter((name) => name.endsWith('.service'));
  const units = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  const early = units.filter((unit) => /^DefaultDependencies=no$/m.test(unit));
  expect(early).toHaveLength(1);
  for (const unit of early) expect(unit).not.toMatch(/^Private(Devices|Tmp)=yes$/m);
});

const reason = whyNoSystemd() ?? whyNoPackages();
if (reason !== null) it('a boot', (context) => context.skip(reason));
else
  describeWith(['dig', 'unbound', 'sotto', 'sotto-server'], 'a boot', () => {
    it.each(Object.entries(ways))(
      'with %s queries no other resolver under refuse',
      async (_, way) => {
        const missing = way.needs.map(whyNotUnpacked).find((why) => why !== null);
        if (missing !== undefined) throw new Error(missing ?? '');
        const desk = await open(await labForTest(), way);
        const { computer } = desk;

        await computer.shutDown(desk.machine);
        const first = await desk.nextBoot();
        expect(first).toMatchObject(nothingLeft);
        await computer.cutPower();
        const second = await desk.nextBoot();
        expect(second).toMatchObject(nothingLeft);

        // After a person has stopped it, names reach the network again, and a boot without it queries the network's resolver.
        await desk.machine.succeed(['systemctl', 'stop', 'sotto']);
        await desk.networkHears();
        // Its socket may still be closing, and a start does not wait for that.
        await eventually('it is started again', async () => {
          // After so many starts in a minute systemd would not try again.
          await desk.machine.run(['systemctl', 'reset-failed', 'sotto.service', 'sotto.socket']);
          await desk.machine.succeed(['systemctl', 'start', 'sotto']);
          return true;
        });
        await desk.leadsToSotto();
        await desk.machine.succeed(['systemctl', 'disable', 'sotto']);
        await computer.shutDown(desk.machine);
        await desk.switchOn();
        await desk.networkHears();
      },
      fiveBootsMs,
    );
  });

async function open(lab: Lab, { mechanism, prepare }: Way) {
  const made = await madePackage('deb');
  const computer = await Computer.build(lab, resolvConf, '192.0.2.99/32');
  const resolver = await plugIn(lab, computer, prepare.length === 0);
  const upstream = await startUpstream(
    lab,
    computer.network,
    join(lab.directory, 'resolver.pem'),
    root,
  );
  let machine = await computer.boot();
  onTestFinished(async ({ task }) => {
    if (task.result?.state !== 'fail') return;
    console.error(await machine.read('/etc/resolv.conf'), await journalOf(machine));
  });
  await machine.copyIn(upstream.ca, '/srv/resolver.pem');
  // They would wait for other links than this cable.
  const waiting = ['NetworkManager-wait-online', 'systemd-networkd-wait-online'];
  await machine.succeed(['systemctl', 'mask', ...waiting.map((name) => `${name}.service`)]);
  // One manager of links is enough.
  await machine.run(['systemctl', 'disable', '--now', 'NetworkManager', 'systemd-networkd']);
  for (const script of prepare) await machine.succeed(['sh', '-c', script]);
  // Without Sotto the network's resolver receives the names.
  await eventually('the network is asked', async () => {
    await machine.run(['getent', 'ahostsv4', 'before.herald.example']);
    return resolver.heard.includes('before.herald.example');
  });
  const deb = `/srv/${basename(made)}`;
  await machine.copyIn(made, deb);
  await machine.succeed(['dpkg', '--force-unsafe-io', '--install', deb]);
  const settings = {
    upstreams: [{ ...upstream, ca: '/srv/resolver.pem' }],
    downgrade: 'refuse',
    'systemDns.take': true,
    'systemDns.mechanism': mechanism,
  };
  await machine.write('/srv/asking.mjs', asking);
  await machine.write('/etc/systemd/system/asking.service', askingUnit);
  await machine.succeed(['systemctl', 'enable', 'asking.service']);
  for (const [key, value] of Object.entries(settings))
    await machine.succeed(['sotto', 'config', 'set', key, JSON.stringify(value)]);

  const heardOf = (word: string) => resolver.heard.filter((name) => name.startsWith(word));
  let count = 0;
  const lookUp = async () => {
    const name = `look-${++count}.herald.example`;
    await machine.run(['getent', 'ahostsv4', name]);
    return name;
  };
  /** No link keeps its addresses when a computer is switched off. */
  const unplug = async () => {
    if (prepare.length > 0)
      await computer.network.succeed(['ip', 'address', 'flush', 'dev', 'eth0']);
  };
  const desk = {
    computer,
    get machine() {
      return machine;
    },
    set machine(next: InstallTarget) {
      machine = next;
    },
    async leadsToSotto() {
      const does = async () => {
        const said = await machine.run(['getent', 'ahostsv4', 'img3.herald.example']);
        const status = await machine.run(['sotto', 'status', '--json']);
        return said.stdout.includes('203.0.113.15') && /"taken": ?true/.test(status.stdout);
      };
      await eventually('programs ask Sotto', does, bootMs);
    },
    async networkHears() {
      const hears = async () => heardOf(await lookUp()).length > 0;
      await eventually('the network is asked', hears, bootMs);
    },
    async switchOn() {
      await unplug();
      machine = (await computer.switchOn()).machine;
    },
    /** Waits until Sotto responds, and a little longer. */
    async nextBoot() {
      await desk.switchOn();
      const word = (await machine.read(bootId)).slice(0, 8);
      await desk.leadsToSotto();
      const asked = async () => Number(await machine.read('/run/asked').catch(() => '0'));
      const enough = (await asked()) + 20;
      await eventually('more names are asked', async () => (await asked()) > enough);
      const facts = [
        'systemctl',
        'show',
        'sotto-give-back',
        '-p',
        'Result,ExecMainStartTimestampMonotonic',
      ];
      const { stdout: boot } = await machine.run(facts);
      return { asked: await asked(), leaked: heardOf(word), boot };
    },
  };
  await desk.leadsToSotto();
  expect(await machine.read('/var/lib/sotto-helper/journal.json')).toContain(sottoOnly.slice(-9));
  return desk;
}

/**
 * The network's resolver at the other end of a cable: resolved queries the servers of a link through that link only. `addressed`:
 * this gives eth0 its address, and nothing else does.
 */
async function plugIn(
  lab: Lab,
  { network: here }: Computer,
  addressed: boolean,
): Promise<NetworkResolver> {
  const holder = lab.adopt(await Program.start('unshare', ['--net', 'sleep', 'infinity']));
  await holder.ready(
    async () => (await readFile(`/proc/${holder.pid}/comm`, 'utf8')).trim() === 'sleep',
  );
  const there = new InstallTarget(holder, holder.pid);
  const peer = ['peer', 'name', 'far0', 'netns', `${holder.pid}`];
  await here.succeed(['ip', 'link', 'add', 'eth0', 'type', 'veth', ...peer]);
  for (const [machine, link, address] of [
    [here, 'eth0', '192.0.2.7/24'],
    [there, 'far0', `${network}/24`],
  ] as const) {
    if (addressed || machine === there)
      await machine.succeed(['ip', 'address', 'add', address, 'dev', link]);
    await machine.succeed(['ip', 'link', 'set', link, 'up']);
  }
  await there.succeed(['ip', 'link', 'set', 'lo', 'up']);
  const domainFile = join(lab.directory, 'dhcp-domain');
  await writeFile(domainFile, 'office.example');
  const leases = ['192.0.2.7', network, '192.0.2.255', domainFile];
  await there.start(lab, [process.execPath, dhcpServer, ...leases]);
  return await NetworkResolver.start(lab, there, network, lab.directory);
}
