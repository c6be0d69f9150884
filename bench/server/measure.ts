/** What measurements of servers have in common: every server is there, and one certificate for all of them. */
import { CertificateAuthority, type Identity } from '../../e2e/rig/certificates.ts';
import { keepMeasurement } from '../../e2e/rig/keep-measurement.ts';
import { Lab } from '../../e2e/rig/lab.ts';
import { type MachineFacts, machineFacts } from '../machine-facts.ts';
import { type Server, servers } from './servers.ts';

export interface Circumstances {
  date: string;
  machine: MachineFacts;
  /** in the order of the servers */
  versions: string[];
}

/** Writes docs/measurements/NAME.md. */
export async function measureServers<Measured extends object>(
  name: string,
  measure: (lab: Lab, identity: Identity) => Promise<Measured>,
  report: (results: Circumstances & Measured) => string,
  measured: readonly Server[] = servers,
): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => process.exit(130));
  const lab = new Lab();
  await lab.open();
  try {
    for (const { title, provide } of measured) {
      const missing = await provide();
      if (missing !== null) throw new Error(`${title}: ${missing}`);
    }
    const authority = await CertificateAuthority.create(lab);
    const identity = await authority.issue({ for: ['DNS:dns.example', 'IP:127.0.0.1'] });
    const circumstances = {
      date: new Date().toISOString(),
      machine: await machineFacts(),
      versions: await Promise.all(measured.map((server) => server.version())),
    };
    const results = { ...circumstances, ...(await measure(lab, identity)) };
    const table = report(results);
    await keepMeasurement(name, table, results);
    console.log(table);
  } finally {
    await lab.close();
  }
}
