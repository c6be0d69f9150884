/**
 * `npm run bench:server`: what connections, handshakes and queries cost sotto-server, beside other DNS-over-TLS servers in the same run.
 * Writes docs/measurements/server.md.
 */
import { reloads } from './certificates.ts';
import { costs } from './costs.ts';
import { measureServers } from './measure.ts';
import { memory } from './memory.ts';
import { report } from './report.ts';
import { secondProcessor } from './second-processor.ts';

await measureServers(
  'server',
  async (lab, identity) => ({
    costs: Object.fromEntries(await costs(lab, identity)),
    second: await secondProcessor(lab, identity),
    memory: Object.fromEntries(await memory(lab, identity)),
    reloads: await reloads(lab),
  }),
  report,
);
