/**
 * `npm run bench:server`: what connections, handshakes and queries cost sotto-server, beside other DNS-over-TLS servers in the same run.
 * Writes docs/measurements/server.md.
 */
import { CertificateAuthority } from '../../e2e/rig/certificates.ts';
import { keepMeasurement } from '../../e2e/rig/keep-measurement.ts';
import { Lab } from '../../e2e/rig/lab.ts';
import { machineFacts } from '../machine-facts.ts';
import { costs } from './costs.ts';
import { memory } from './memory.ts';
import { report } from './report.ts';
import { secondProcessor } from './second-processor.ts';
import { servers } from './servers.ts';

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
    costs: Object.fromEntries(await costs(lab, identity)),
    second: await secondProcessor(lab, identity),
    memory: Object.fromEntries(await memory(lab, identity)),
  };
  const table = report(results);
  await keepMeasurement('server', table, results);
  console.log(table);
} finally {
  await lab.close();
}
