/**
 * `npm run bench:network-attacks`: how others fare in network namespaces while addresses are forged or many attackers keep connections,
 * at sotto-server and other servers in the same run. Writes docs/measurements/network-attacks.md.
 */
import { whyMissing } from '../../e2e/rig/available.ts';
import { endCommand } from '../../e2e/rig/end-command.ts';
import { fromDebian } from '../debian.ts';
import { measureServers } from '../server/measure.ts';
import { crowds } from './crowds.ts';
import { keyUpdates } from './key-updates.ts';
import { reflection } from './reflection.ts';
import { report } from './report.ts';
import { attacked, Stage } from './stage.ts';
import { synFloods } from './syn-flood.ts';

const reason = whyMissing('a lab') ?? whyMissing('dig') ?? (await fromDebian('hping3', 'hping3'));
if (reason !== null) endCommand(`can't run here: ${reason}`, 1);
await measureServers(
  'network-attacks',
  async (lab, identity) => {
    const stage = await Stage.create(lab);
    return {
      reflection: await reflection(lab, stage),
      synFloods: await synFloods(lab, stage, identity),
      keyUpdates: await keyUpdates(lab, stage, identity),
      crowds: await crowds(lab, stage, identity),
    };
  },
  report,
  attacked,
);
