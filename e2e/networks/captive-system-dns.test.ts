/** A hotspot where the whole system queries Sotto: programs stay private, and only the login uses the network's resolver. */
import { expect, it } from 'vitest';
import type { OpenedPortal } from '../../app/contract/system/portal.ts';
import { describeInNetworks } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { labForTest } from '../rig/lab.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { Helper } from './helper.ts';
import { webAddress } from './internet.ts';
import { gateway } from './local-network.ts';
import { NetworkStage } from './network-stage.ts';
import { Portal, portalNames } from './portal.ts';
import { Resolved, resolvectl } from './resolved.ts';

describeInNetworks(
  ['sotto', 'systemd-resolved', 'busctl', 'nft', 'curl'],
  'a network that wants a login, where the system’s DNS is led here',
  () => {
    it('is passed without any program’s query leaving in cleartext', async () => {
      const lab = await labForTest();
      const stage = await NetworkStage.open(lab);
      const { client, network, internet } = stage;
      await client.startBus();
      await Resolved.start(lab, client);
      await client.succeed(resolvectl, 'dns', 'eth0', gateway.v4);
      await Helper.start(lab, client);
      // a gateway that is slow for once would have Sotto fetch its pages of known text, by their names
      const noPages = { portal: { probes: [] } };
      const settings = { upstreams: internet.upstreams, listen: ['127.0.0.1:5300'], ...noPages };
      const sotto = await SottoService.start(lab, { ...settings, systemResolvers: 'auto' }, 5300, {
        on: client,
      });
      await sotto.json('system', 'take');
      await eventually('taken', async () => (await sotto.status()).systemDns?.taken);

      await Portal.start(lab, network, { silent: true, stages: 1 });
      const capture = await stage.capture();
      await client.run('getent', ['ahostsv4', 'before.far.example']);
      await eventually('a login is wanted', async () => (await sotto.status()).portal);
      expect((await client.run('getent', ['ahostsv4', 'during.far.example'])).stdout).toBe('');

      const { proxy, url } = await sotto.json<OpenedPortal>('portal', 'open');
      const { host, port, user, password } = proxy;
      const by = ['--socks5-hostname', `${host}:${port}`, '--proxy-user', `${user}:${password}`];
      expect(await client.succeed('curl', '-sS', '-L', ...by, url)).toContain('Welcome');
      const accept = `http://${portalNames[0]}/accept`;
      await client.succeed('curl', '-sS', ...by, '--data', '', accept);
      await eventually('private again', async () => {
        const { protection, portal } = await sotto.status();
        return protection.state === 'private' && portal === null;
      });
      await eventually('programs are answered', async () =>
        (await client.succeed('getent', 'ahostsv4', 'during.far.example')).includes(webAddress.v4),
      );
      const left = await capture.clearQueries();
      expect(new Set(left.map(({ name }) => name))).toEqual(new Set([portalNames[0]]));
    });
  },
);
