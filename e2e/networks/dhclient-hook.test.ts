/**
 * While /etc/resolv.conf is Sotto's, dhclient's hook passes DHCP's resolvers to the helper, so that no two programs overwrite the
 * file in turn.
 */
import { describe, expect, it } from 'vitest';
import { helper as program } from '../../build/places.mjs';
import { describeInNetworks } from '../rig/available.ts';
import { type Lab, labForTest } from '../rig/lab.ts';
import { hookFolder, installedHelper, installHook, sayByDhcp } from './dhclient-hook.ts';
import { Helper } from './helper.ts';
import { Machine } from './machine.ts';

const path = '/etc/resolv.conf';
const before = '# by hand\nnameserver 192.0.2.1\nsearch old.example\noptions ndots:2\n';
const servers = [{ address: '127.0.0.1', port: 53 }];

const answer = { new_domain_name: 'new.example', new_domain_name_servers: '192.0.2.7 192.0.2.8' };
const answerText =
  'domain new.example\nsearch new.example\nnameserver 192.0.2.7\nnameserver 192.0.2.8\n';

describeInNetworks(['isc-dhcp-client'], 'dhclient’s hook', () => {
  it('passes what DHCP sent to the helper, and a give-back restores it', async () => {
    const { machine, helper } = await taken(await labForTest());
    await sayByDhcp(machine, answer);
    expect(rest(await machine.read(path))).toEqual([
      'nameserver 127.0.0.1',
      'options ndots:2',
      'domain new.example',
      'search new.example',
    ]);
    expect(await helper.ask({ verb: 'status' })).toMatchObject({
      held: [
        {
          inPlace: true,
          before: { servers: [{ address: '192.0.2.7' }, { address: '192.0.2.8' }] },
        },
      ],
    });
    await helper.ask({ verb: 'give-back' });
    expect(await machine.read(path)).toBe(answerText);
    expect(await leftovers(machine)).toBe('');
  });

  it('writes nothing where DHCP sends the same as before', async () => {
    const { machine, helper } = await taken(await labForTest());
    await sayByDhcp(machine, answer);
    const files = '/etc/resolv.conf* /var/lib/sotto-helper/journal.json';
    const state = () => machine.shell(`stat -c "%n %i %z" ${files}`);
    const now = await state();
    for (let time = 0; time < 5; time++) await sayByDhcp(machine, answer);
    expect(await state()).toBe(now);
    await helper.kill();
    // the running helper is not needed
    await sayByDhcp(machine, { new_domain_name_servers: '192.0.2.9' });
    expect(await machine.read(`${path}.before-sotto`)).toBe('nameserver 192.0.2.9\n');
    await helper.start();
    await helper.ask({ verb: 'give-back' });
    expect(await machine.read(path)).toBe('nameserver 192.0.2.9\n');
  });

  it.each([
    [
      'several domains',
      { new_domain_name: 'a.example', new_domain_search: 'b.example. c.example.' },
      'domain a.example\nsearch a.example b.example. c.example.\nnameserver 192.0.2.1\n',
    ],
    [
      'a domain that is in the list',
      { new_domain_name: 'b.example', new_domain_search: 'a.example. b.example.' },
      'domain b.example\nsearch a.example. b.example.\nnameserver 192.0.2.1\n',
    ],
    [
      'DHCPv6',
      {
        new_dhcp6_name_servers: '2001:db8::53 fe80::53',
        new_dhcp6_domain_search: 'six.example.',
      },
      'search six.example.\nnameserver 2001:db8::53\nnameserver fe80::53%eth0\n',
    ],
    ['nothing of DNS', {}, before],
  ])('keeps %s as dhclient-script would write it', async (_, said, text) => {
    const { machine, helper } = await taken(await labForTest());
    const reason = 'new_dhcp6_name_servers' in said ? 'BOUND6' : 'RENEW';
    await sayByDhcp(machine, said as Record<string, string>, reason);
    expect(rest(await machine.read(path))[0]).toBe('nameserver 127.0.0.1');
    await helper.ask({ verb: 'give-back' });
    const restored = await machine.read(path);
    expect(restored).toBe(text);
    // dhclient-script itself, with a file that is not ours
    if (text === before) return;
    await machine.write(path, before);
    await sayByDhcp(machine, said as Record<string, string>, reason);
    expect(await machine.read(path)).toBe(restored);
  });

  describe('does what dhclient-script does', () => {
    it.each([
      ['without a hook', `rm ${hookFolder}/sotto`],
      ['without the helper', `rm ${installedHelper}`],
    ])('%s', async (_, script) => {
      const { machine } = await taken(await labForTest());
      await machine.shell(script);
      await sayByDhcp(machine, answer);
      expect(await machine.read(path)).toBe(answerText);
    });

    it('while the file is not ours', async () => {
      const { machine, helper } = await taken(await labForTest());
      await helper.ask({ verb: 'give-back' });
      await sayByDhcp(machine, answer);
      expect(await machine.read(path)).toBe(answerText);
      expect(await leftovers(machine)).toBe('');
    });

    it('while DNS is being given back', async () => {
      const { machine } = await taken(await labForTest());
      const giveBackFirst = `#!/bin/sh\n${program} give-back >/dev/null; exec ${program} "$@"\n`;
      await replaceHelper(machine, giveBackFirst);
      await sayByDhcp(machine, answer);
      expect(await machine.read(path)).toBe(answerText);
      expect(await leftovers(machine)).toBe('');
    });
  });

  it.each([
    ['resolvconf', 'make_resolv_conf() { echo "$new_domain_name" >> /run/told; }'],
    ['an-administrator', 'make_resolv_conf() { :; }'],
  ])('leaves it to the function of %s', async (name, text) => {
    const { machine, helper } = await taken(await labForTest());
    await machine.write(`${hookFolder}/${name}`, `${text}\n`);
    if (name === 'resolvconf') await machine.shell(makeResolvconf);
    const now = await machine.read(path);
    await sayByDhcp(machine, answer);
    expect(await machine.read(path)).toBe(now);
    if (name === 'resolvconf') expect(await machine.read('/run/told')).toBe('new.example\n');
    await helper.ask({ verb: 'give-back' });
    expect(await machine.read(path)).toBe(before);
  });

  it.each([
    ['that hangs', 'exec sleep 60'],
    ['that dies', 'kill -KILL $$'],
    ['that is no program', ''],
    ['that knows no such word', 'exit 2'],
  ])('overwrites nothing with a helper %s', async (_, text) => {
    const { machine } = await taken(await labForTest());
    const now = await machine.read(path);
    await replaceHelper(machine, `${text === '' ? '\u{7f}ELF' : '#!/bin/sh'}\n${text}\n`);
    expect((await sayByDhcp(machine, answer)).code).toBe(0);
    expect(await machine.read(path)).toBe(now);
  });

  it('overwrites nothing where the journal can not be written, and passes it on later', async () => {
    const { machine, helper } = await taken(await labForTest());
    const now = await machine.read(path);
    await machine.shell(
      `cp -a /var/lib/sotto-helper /run/kept
       mount -t tmpfs -o size=16k,mode=700 tmpfs /var/lib/sotto-helper
       cp -a /run/kept/. /var/lib/sotto-helper; cat /dev/zero > /var/lib/sotto-helper/fill || :`,
    );
    expect((await sayByDhcp(machine, answer)).code).toBe(0);
    expect(await machine.read(path)).toBe(now);
    expect(await machine.read(`${path}.before-sotto`)).toBe(before);
    await machine.shell('rm /var/lib/sotto-helper/fill');
    await sayByDhcp(machine, answer);
    await helper.ask({ verb: 'give-back' });
    expect(await machine.read(path)).toBe(answerText);
  });

  it('leaves a resolver that another program added to our file, so that it is noticed', async () => {
    const { machine, helper } = await taken(await labForTest());
    await machine.shell('echo "nameserver 192.0.2.66" >> "$1"', path);
    const now = await machine.read(path);
    await sayByDhcp(machine, answer);
    expect(await machine.read(path)).toBe(now);
    expect(await helper.ask({ verb: 'status' })).toMatchObject({ held: [{ inPlace: false }] });
    await helper.ask({ verb: 'give-back' });
    expect(await machine.read(path)).toBe(answerText);
  });

  describe('where there was', () => {
    it('nothing, a give-back restores what DHCP sent', async () => {
      const { machine, helper } = await taken(await labForTest(), 'rm /etc/resolv.conf');
      await sayByDhcp(machine, answer);
      await helper.ask({ verb: 'give-back' });
      expect(await machine.read(path)).toBe(answerText);
    });

    it('a mounted file, it is overwritten in place', async () => {
      const mount = 'cp /etc/resolv.conf /run/t; mount --bind /run/t /etc/resolv.conf';
      const { machine, helper } = await taken(await labForTest(), mount);
      await sayByDhcp(machine, answer);
      expect(rest(await machine.read(path))).toContain('search new.example');
      await helper.ask({ verb: 'give-back' });
      expect(await machine.read('/run/t')).toBe(answerText);
      expect(await leftovers(machine)).toBe('');
    });

    it('a symbolic link to a file of root, that file is written', async () => {
      const link = 'mv /etc/resolv.conf /run/t; ln -s /run/t /etc/resolv.conf';
      const { machine, helper } = await taken(await labForTest(), link);
      await sayByDhcp(machine, answer);
      expect(await machine.read('/run/t')).toBe(answerText);
      expect(rest(await machine.read(path))).toContain('search new.example');
      expect(await helper.ask({ verb: 'status' })).toMatchObject({
        held: [{ before: { search: ['new.example'] } }],
      });
      await helper.ask({ verb: 'give-back' });
      expect(await machine.succeed('readlink', path)).toBe('/run/t\n');
    });

    it.each([
      ['a file of others', 'chown 1234 /run/t'],
      [
        'a file in a folder of others',
        'mkdir /run/f; mv /run/t /run/f; chown 1234 /run/f; ln -s f/t /run/t',
      ],
      ['a file that others link to', 'ln /run/t /run/u'],
      ['a device', 'rm /run/t; mknod /run/t c 1 3'],
      ['nothing', 'rm /run/t'],
    ])('a symbolic link to %s, nothing is written', async (_, script) => {
      const link = `mv ${path} /run/t; ln -s /run/t ${path}; ${script}`;
      const { machine } = await taken(await labForTest(), link);
      const now = await machine.read(path);
      const state = () => machine.shell('stat -L -c "%i %z" /run/t 2>&1 || :');
      const found = await state();
      expect((await sayByDhcp(machine, answer)).code).toBe(0);
      expect([await state(), await machine.read(path)]).toEqual([found, now]);
    });
  });

  it.each(hostile())('rejects malformed values: %s', async (_, said, kept) => {
    const { machine, helper } = await taken(await labForTest());
    const said4 = { ...answer, ...said };
    expect((await sayByDhcp(machine, said4)).code).toBe(0);
    const lines = rest(await machine.read(path));
    expect(lines.slice(0, 1)).toEqual(['nameserver 127.0.0.1']);
    expect(lines.filter((line) => line.startsWith('nameserver'))).toHaveLength(1);
    expect(await machine.run('ls', ['/run/evil'])).toMatchObject({ code: 2 });
    await helper.ask({ verb: 'give-back' });
    expect(await machine.read(path)).toBe(kept);
  });
});

/** What DHCP could send, and what a give-back restores of it. */
function hostile(): [what: string, said: Record<string, string>, kept: string][] {
  const good = 'nameserver 192.0.2.7\nnameserver 192.0.2.8\n';
  const evil = '`touch /run/evil`$(touch /run/evil);touch /run/evil';
  return [
    ['a line end in the domain', { new_domain_name: 'a.example\nnameserver\t192.0.2.66' }, good],
    [
      'a line end in the list',
      { new_domain_name: '', new_domain_search: 'a.example\nnameserver 192.0.2.66' },
      good,
    ],
    ['commands as the domain', { new_domain_name: evil }, good],
    [
      'commands as the list',
      { new_domain_name: '', new_domain_search: `${evil} good.example` },
      `search good.example\n${good}`,
    ],
    [
      'commands as servers',
      { new_domain_name: '', new_domain_name_servers: `${evil} 192.0.2.7 192.0.2.8` },
      good,
    ],
    [
      'file names',
      {
        new_domain_name: '*',
        new_domain_search: '/etc/* ?',
        new_domain_name_servers: '* 192.0.2.7 192.0.2.8',
      },
      good,
    ],
    ['options of programs', { new_domain_name: '-n', new_domain_search: '--help %s \\n' }, good],
    ['a very long domain', { new_domain_name: 'a'.repeat(20_000) }, good],
    [
      'a very long list',
      { new_domain_name: '', new_domain_search: 'a.example '.repeat(12_000) },
      before,
    ],
    [
      'many servers',
      {
        new_domain_name: '',
        new_domain_name_servers: Array.from(
          { length: 99 },
          (_, index) => `192.0.2.${index + 1}`,
        ).join(' '),
      },
      Array.from({ length: 8 }, (_, index) => `nameserver 192.0.2.${index + 1}\n`).join(''),
    ],
    ['octets of no alphabet', { new_domain_name: '\u{1b}[2J\u{202e}.example' }, good],
    [
      'our mark',
      { new_domain_name: '# sotto-helper wrote this.' },
      `search sotto-helper wrote this.\n${good}`,
    ],
  ];
}

/** Debian's program, for whose presence hooks check */
const makeResolvconf = `mkdir -p /run/sbin /run/sbin-work
mount -t overlay overlay -o lowerdir=/usr/sbin,upperdir=/run/sbin,workdir=/run/sbin-work /usr/sbin
ln -sf /bin/true /usr/sbin/resolvconf; test -x /sbin/resolvconf`;

async function taken(lab: Lab, script = ':') {
  const machine = await Machine.create(lab, 'dhclient');
  await machine.write(path, before);
  await machine.shell(script);
  await installHook(machine);
  const helper = await Helper.start(lab, machine);
  await helper.ask({ verb: 'take-file', servers });
  return { machine, helper };
}

async function replaceHelper(machine: Machine, text: string): Promise<void> {
  await machine.shell('rm "$1"', installedHelper);
  await machine.write(installedHelper, text);
  await machine.shell('chmod +x "$1"', installedHelper);
}

/** The file without our mark. */
const rest = (text: string) => text.trimEnd().split('\n').slice(1);

async function leftovers(machine: Machine): Promise<string> {
  const names = '/etc/resolv.conf.* /var/lib/sotto-helper/journal.json';
  return await machine.shell(`ls -d ${names} 2>/dev/null || :`);
}
