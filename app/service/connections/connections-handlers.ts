/** The contract's method `connections.list`. */
import { succeed } from '../../contract/errors.ts';
import type { ServiceHandlers } from '../../contract/service-api.ts';
import type { EngineDriver } from '../engine/engine-driver.ts';
import { applicationOf } from '../query-log/present-asker.ts';
import type { Resolver } from '../settings/resolver-catalogue.ts';
import type { SystemDns } from '../system-dns/system-dns.ts';
import { limitsOf } from './limits.ts';
import { presentConnections, resolversByAddress } from './present-connections.ts';

interface ConnectionsParts {
  engine: Pick<EngineDriver, 'audit'>;
  systemDns: Pick<SystemDns, 'status'>;
  catalogue: readonly Resolver[];
}

export function createConnectionsHandlers({
  engine,
  systemDns,
  catalogue,
}: ConnectionsParts): Pick<ServiceHandlers, 'connections.list'> {
  const resolverAt = resolversByAddress(catalogue);
  return {
    'connections.list': async () => {
      const report = await engine.audit();
      if (report === null) return succeed({ audit: null, limits: [] });
      return succeed({
        audit: presentConnections(report, resolverAt, applicationOf),
        limits: limitsOf(report, systemDns.status()?.taken === true),
      });
    },
  };
}
