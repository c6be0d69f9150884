/**
 * `npm run bench:attacks`: how others fare while some clients attack sotto-server, and other DNS-over-TLS servers in the same run. Writes
 * docs/measurements/server-attacks.md.
 */
import { measureServers } from '../server/measure.ts';
import { underAttack } from './attacks.ts';
import { report } from './report.ts';

await measureServers(
  'server-attacks',
  async (lab, identity) => ({ fared: Object.fromEntries(await underAttack(lab, identity)) }),
  report,
);
