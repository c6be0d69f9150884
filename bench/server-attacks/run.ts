/**
 * `npm run bench:attacks`: how others fare while some clients attack sotto-server, and other DNS-over-TLS servers in the same run. Writes
 * docs/measurements/server-attacks.md.
 */
import { CertificateAuthority } from '../../e2e/rig/certificates.ts';
import { keepMeasurement } from '../../e2e/rig/keep-measurement.ts';
import { Lab } from '../../e2e/rig/lab.ts';
import { machineFacts } from '../machine-facts.ts';
import { servers } from '../server/servers.ts';
import { underAttack } from './attacks.ts';
import { report } from './report.ts';

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => process.exit(130));

const lab = new Lab();
await lab.open();
try {
  for (const { title, provide } of servers) {
    const missing = await provide();
    if (missing !== null) throw new Error(`${title}: ${missing}`);
  }
  const authority = await CertificateAuthority.create(lab);
  const identity = await authority.issue({ for: ['DNS:dns.example', 'IP:127.0.0.1'] });
  const results = {
    date: new Date().toISOString(),
    machine: await machineFacts(),
    versions: await Promise.all(servers.map((server) => server.version())),
    fared: Object.fromEntries(await underAttack(lab, identity)),
  };
  const table = report(results);
  await keepMeasurement('server-attacks', table, results);
  console.log(table);
} finally {
  await lab.close();
}
