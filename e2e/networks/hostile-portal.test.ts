/**
 * The real service on a network whose every page is hostile: it survives, and notices the login page when there is a real one.
 */
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { ServiceStatus } from '../../app/contract/status/service-status.ts';
import type { OpenedPortal } from '../../app/contract/system/portal.ts';
import { describeInNetworks, locate } from '../rig/available.ts';
import { callService } from '../rig/call-service.ts';
import { eventually } from '../rig/eventually.ts';
import { labForTest } from '../rig/lab.ts';
import { succeed } from '../rig/process.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { gateway } from './local-network.ts';
import { NetworkStage } from './network-stage.ts';
import { Portal, portalNames } from './portal.ts';

const gatewayFile = fileURLToPath(new URL('./portal-fuzz/gateway.ts', import.meta.url));
const windowFile = fileURLToPath(new URL('./portal-fuzz/window.ts', import.meta.url));
const hostilePort = 8081;
const visits = 100;
const visitsWithinMs = 120_000;

describeInNetworks(['sotto', 'nft', 'curl'], 'a portal whose every response is hostile', () => {
  it('neither ends the service nor keeps it from the login', async () => {
    const lab = await labForTest();
    const { client, network, internet } = await NetworkStage.open(lab);
    const portal = await Portal.start(lab, network, { silent: true });
    const args = [gatewayFile, String(hostilePort), '4200'];
    const hostile = lab.adopt(await network.namespace.start(process.execPath, args));
    await hostile.ready(async () => hostile.stdout.includes('listening'));
    const nft = (script: string) => succeed(...network.namespace.inside(locate('nft'), [script]));
    const met = () => hostile.stdout.split('met').length - 1;
    const astray = `table inet hostile {
      chain astray {
        type nat hook prerouting priority dstnat - 10;
        iifname "lan" tcp dport 80 redirect to :${hostilePort}
      }
    }`;

    await nft(astray);
    const settings = { upstreams: internet.upstreams, systemResolvers: [gateway.v4] };
    const service = await SottoService.start(lab, settings, undefined, { on: client });
    const { pid } = await service.status();
    await eventually('it has looked ten times', async () => {
      await service.cli('portal', 'check');
      return met() >= 10;
    });

    await nft('delete table inet hostile');
    await eventually('the login page is found', async () => {
      const { portal: found } = await callService(service.controlSocket, 'portal.check', {});
      return found?.site === portalNames[0];
    });
    const opened = await service.json<OpenedPortal>('portal', 'open');
    const before = met();
    await nft(astray);
    let heard = 0;
    // it leaves what says nothing for two seconds, which may be before the gateway was met
    await eventually(
      'so many visits met the gateway',
      async () => {
        const left = visits - (met() - before);
        if (left <= 0) return true;
        const window = [windowFile, JSON.stringify(opened), String(left)];
        heard += Number(await client.succeed(process.execPath, ...window));
      },
      visitsWithinMs,
    );
    expect(heard).toBeGreaterThan(0);

    await nft('delete table inet hostile');
    await eventually('the portal was visited', () => portal.visits.length > 0);
    const { proxy } = await service.json<OpenedPortal>('portal', 'open');
    const by = [
      '--socks5-hostname',
      `${proxy.host}:${proxy.port}`,
      '--proxy-user',
      `${proxy.user}:${proxy.password}`,
    ];
    // A connection from the port of an earlier one is still led astray: the gateway's kernel remembers. A person presses again.
    const page = (...more: string[]) =>
      eventually(`curl ${more.at(-1)}`, async () => {
        const { code, stdout } = await client.run('curl', [
          ...['-sS', '-L', '--max-time', '15'],
          ...by,
          ...more,
        ]);
        return code === 0 && stdout;
      });
    expect(await page(opened.url)).toContain('Welcome');
    await page('--data', '', `http://${portalNames[0]}/accept`);
    expect(await page('--data', '', `http://${portalNames[1]}/room`)).toContain('connected');
    const after = await until(service, ({ protection }) => protection.state === 'private');
    expect(after.pid, 'it is the same process').toBe(pid);
  }, 400_000);
});

async function until(
  service: SottoService,
  holds: (status: ServiceStatus) => boolean,
): Promise<ServiceStatus> {
  return await eventually('it', async () => {
    const status = await service.status();
    return holds(status) && status;
  });
}
