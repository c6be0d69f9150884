/** What the scenarios of this folder need from the machine, and what most of them begin with. */
import { describeWith, type Need } from '../rig/available.ts';
import { CertificateAuthority } from '../rig/certificates.ts';
import type { Lab } from '../rig/lab.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { type FarOptions, FarResolver, resolverName } from './far-resolver.ts';

/** `describe`, or one skipped test that says what is missing. */
export function describeLoad(title: string, body: () => void, further: Need[] = []): void {
  describeWith(['sotto', 'sotto-server', 'sotto-lab', 'openssl', ...further], title, body);
}

export interface Path {
  far: FarResolver;
  service: SottoService;
}

/** The whole path: a service, and one resolver some way off. */
export async function openPath(lab: Lab, options: FarOptions & { settings?: object } = {}) {
  const { settings, ...farOptions } = options;
  const far = await FarResolver.start(lab, await resolverIdentity(lab), farOptions);
  const service = await SottoService.start(lab, { upstreams: [far.upstream('far')], ...settings });
  return { far, service } satisfies Path;
}

export async function resolverIdentity(lab: Lab) {
  const authority = await CertificateAuthority.create(lab);
  const identity = await authority.issue({ for: [`DNS:${resolverName}`, 'IP:127.0.0.1'] });
  return { ...identity, authority: authority.certificate };
}
