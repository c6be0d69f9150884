/** The AppImage on a computer of its own, where nothing is installed: a person starts it, root helps, and it is removed. */
import { beforeAll, expect, it } from 'vitest';
import { describeWith } from '../rig/available.ts';
import { labForFile } from '../rig/lab.ts';
import type { Program } from '../rig/process.ts';
import { askHelper } from './ask-helper.ts';
import { InstallTarget, whyNoInstallTarget } from './install-target.ts';
import { madePackage, whyNoPackages } from './made-packages.ts';
import { startUpstream } from './upstream.ts';

const resolvConf = 'nameserver 192.0.2.53\n';
const image = '/srv/Sotto.AppImage';
const home = '/home/person';
const cache = `${home}/.cache/sotto-appimage`;

const reason = whyNoInstallTarget() ?? whyNoPackages();
if (reason !== null) it('the AppImage', (context) => context.skip(reason));
else
  describeWith(['dig', 'sotto'], 'the AppImage', () => {
    const lab = labForFile();
    let machine: InstallTarget;
    let service: Program;

    beforeAll(async () => {
      const made = await madePackage('appimage');
      machine = await InstallTarget.create(lab, resolvConf);
      await machine.copyIn(made, image);
      await machine.succeed(['chmod', '0755', image]);
      await machine.succeed(['useradd', '--create-home', '--home-dir', home, 'person']);
    });

    const asPerson = (...words: string[]) => [
      ...['env', `HOME=${home}`, `XDG_RUNTIME_DIR=${home}`, image],
      ...words,
    ];

    const asRoot = (...words: string[]) => ['env', 'HOME=/root', image, ...words];

    it('is of the type that desktops know, and prints its own options', async () => {
      const marks = await machine.succeed(['head', '-c', '11', image]);
      expect(marks.slice(8)).toBe('AI\x02');
      expect(await machine.succeed([image, '--appimage-help'])).toContain('--appimage-extract');
      const offset = (await machine.succeed([image, '--appimage-offset'])).trim();
      const inside = ['unsquashfs', '-o', offset, '-cat', image, 'sotto.desktop'];
      expect(await machine.succeed(inside)).toContain('Name=Sotto');
    });

    it('unpacks itself once, for its owner alone', async () => {
      // a library that unpacks in several threads once left every file empty where there is one processor
      const onOneProcessor = ['taskset', '--cpu-list', '0', ...asPerson('--version')];
      const first = await machine.run(onOneProcessor, 'person');
      expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
      expect(first.stderr).toContain('unpacking');
      expect((await machine.run(asPerson('--version'), 'person')).stderr).toBe('');
      expect(await machine.succeed(['stat', '-c', '%a', cache])).toBe('700\n');
    });

    it('runs nothing from a folder that other users may change', async () => {
      await machine.succeed(['chmod', '0777', cache]);
      const refused = await machine.run(asPerson('--version'), 'person');
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('remove it') });
      await machine.succeed(['chmod', '0700', cache]);
    });

    it('reports that half of it is missing', async () => {
      await machine.succeed([
        'sh',
        '-c',
        `head -c 20000000 ${image} > /srv/half && chmod 755 /srv/half`,
      ]);
      const half = await machine.run(['env', 'HOME=/root', '/srv/half', '--version']);
      expect(half).toMatchObject({ code: 1, stderr: expect.stringContaining('not all of it') });
    });

    it('serves one person, under its guardian', async () => {
      const upstream = await startUpstream(lab, machine);
      const settings = `${home}/.config/sotto/settings.json`;
      const listen = ['127.0.0.1:5300'];
      await machine.write(settings, JSON.stringify({ listen, upstreams: [upstream] }));
      await machine.succeed(['chown', '-R', 'person:', `${home}/.config`]);
      service = await machine.start(lab, asPerson('run', '--guarded'), 'person');
      await service.ready(async () => service.stderr.includes('the service is ready'));
      const asked = ['dig', '@127.0.0.1', '-p', '5300', '+short', 'img3.herald.example'];
      await expect.poll(() => machine.succeed(asked)).toBe('203.0.113.15\n');
      const status = async () =>
        JSON.parse((await machine.run(asPerson('status', '--json'), 'person')).stdout);
      await expect.poll(status).toMatchObject({ guarded: true, verdict: { is: 'not-in-use' } });
    });

    it('takes the system’s DNS where root allows it, and gives it back', async () => {
      const helper = await machine.start(lab, asRoot('--helper', '--for', 'person'));
      await helper.ready(
        async () => (await machine.run(['test', '-S', '/run/sotto-helper/helper.sock'])).code === 0,
      );
      const node = (
        await machine.succeed(['sh', '-c', `ls ${cache}/*/usr/lib/sotto/bin/node`])
      ).trim();
      const take = { verb: 'take-file' as const, servers: [{ address: '127.0.0.1', port: 53 }] };
      expect(await askHelper(machine, take, 'person', node)).toHaveProperty('ok.taken');
      expect(await machine.read('/etc/resolv.conf')).toContain('nameserver 127.0.0.1');
      await machine.succeed(asRoot('--helper', 'give-back'));
      expect(await machine.read('/etc/resolv.conf')).toBe(resolvConf);
    });

    it('leaves nothing in the cache after a clean-up', async () => {
      await service.stop();
      await machine.succeed(asPerson('--appimage-clean'), 'person');
      await machine.succeed(asRoot('--appimage-clean'));
      for (const folder of [cache, '/root/.cache/sotto-appimage'])
        expect((await machine.run(['test', '-e', folder])).code).toBe(1);
    });
  });
