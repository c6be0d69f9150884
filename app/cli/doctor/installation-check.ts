/** Checks whether the program itself is whole: Node, and the engine. */

import { say } from '../../contract/sentences/sentence.ts';
import { type Finding, fail, ok } from '../../service/doctor/finding.ts';
import { loadEngineAddon } from '../queries/engine-probe.ts';

const oldestNode = 24;

export function checkInstallation(): Finding[] {
  return [judgeNode(process.versions.node), checkEngine()];
}

export function judgeNode(version: string): Finding {
  if (Number(version.split('.')[0]) >= oldestNode) return ok('node', say('node-runs', { version }));
  return fail(
    'node',
    say('node-too-old', { version, oldest: oldestNode }),
    say('start-with-own-node'),
  );
}

function checkEngine(): Finding {
  const addon = loadEngineAddon();
  if (addon.ok) return ok('engine', say('engine-there'));
  return fail('engine', `${capital(addon.failure.message)}.`, addon.failure.remedy);
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
