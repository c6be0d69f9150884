/** Reaches each configured upstream without a service. */

import { isPrivate } from '../../contract/settings/upstream-settings.ts';
import type { TestedUpstream } from '../../service/doctor/upstream-check.ts';
// biome-ignore lint/style/noRestrictedImports: an upstream as the service would use it.
import type { EngineUpstream } from '../../service/engine/boundary.ts';
import type { SettingsInForce } from '../commands/settings-file.ts';
import { CommandFailed } from '../failure.ts';
import { probeServer } from '../queries/engine-probe.ts';

const timeoutMs = 5000;

/** It carries no user's name: it asks for the root's servers, as the service's test of an upstream does. */
const query = { name: '.', type: 'NS' };

export function testConfigured({ upstreams }: SettingsInForce): Promise<TestedUpstream[]> {
  return Promise.all(upstreams.map(testOne));
}

async function testOne({
  id,
  transport,
  addresses,
  names,
  proxy,
  pins,
  certificatePins,
  ca,
  starttls,
  encdns,
  postQuantum,
}: EngineUpstream): Promise<TestedUpstream> {
  if (!isPrivate(transport))
    return { id, report: null, why: 'it has no TLS, so it is not used while "refuse" holds' };
  try {
    const server = {
      transport,
      addresses,
      names,
      encdns,
      ...(proxy === undefined ? {} : { proxy }),
    };
    const trust = { pins, certificatePins, ca, starttls, postQuantum };
    const { report } = await probeServer(query, server, trust, timeoutMs, () => {});
    return { id, report, why: '' };
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    return { id, report: null, why: error.failure.message };
  }
}
