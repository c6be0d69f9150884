/** What the scenarios of this folder need from the machine, and the start that most of them have in common. */
import { describeWith, type Need } from '../rig/available.ts';
import { CertificateAuthority, type Identity } from '../rig/certificates.ts';
import { eventually } from '../rig/eventually.ts';
import type { Lab } from '../rig/lab.ts';
import { type ServerOptions, SottoServer, serverName } from '../rig/peers/sotto-server.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { zipfZone } from '../rig/zones/far.ts';

/** `describe`, or one skipped test that says what is missing. */
export function describeLoad(title: string, body: () => void, further: Need[] = []): void {
  describeWith(['sotto', 'sotto-server', 'sotto-lab', 'openssl', ...further], title, body);
}

export interface Path {
  far: SottoServer;
  service: SottoService;
}

/** The whole path, open: a service, and one resolver at a distance. */
export async function openPath(lab: Lab, options: ZipfOptions & { settings?: object } = {}) {
  const { settings, ...ofServer } = options;
  const far = await startZipfServer(lab, ofServer);
  const service = await SottoService.start(lab, { upstreams: [far.upstream('far')], ...settings });
  await untilPrivate(service);
  return { far, service } satisfies Path;
}

/** What is asked while it still connects may fail, where the machine stands still for a moment. */
export async function untilPrivate(service: SottoService): Promise<void> {
  await eventually('it is connected', async () => {
    return (await service.status()).protection.state === 'private';
  });
}

interface ZipfOptions extends Pick<ServerOptions, 'delay' | 'identity'> {
  /** TTL of its responses, in seconds */
  ttl?: number;
}

/** A resolver that knows every name under zipf.example. */
export async function startZipfServer(lab: Lab, options: ZipfOptions = {}): Promise<SottoServer> {
  const { ttl = 60, identity = await resolverIdentity(lab), ...others } = options;
  const answers = await zipfZone(lab, ttl);
  return await SottoServer.start(lab, { answers, identity, threads: 1, ...others });
}

export async function resolverIdentity(lab: Lab): Promise<Identity> {
  const authority = await CertificateAuthority.create(lab);
  return await authority.issue({ for: [`DNS:${serverName}`, 'IP:127.0.0.1'] });
}
