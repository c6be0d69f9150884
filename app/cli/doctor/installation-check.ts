/** Whether the program itself is whole: Node, and the engine. */

import { type Finding, fail, ok } from '../../service/doctor/finding.ts';
import { loadEngineAddon } from '../engine-probe.ts';

const oldestNode = 24;

export function checkInstallation(): Finding[] {
  return [judgeNode(process.versions.node), checkEngine()];
}

export function judgeNode(version: string): Finding {
  if (Number(version.split('.')[0]) >= oldestNode)
    return ok('node', `Node.js ${version} runs Sotto.`);
  return fail(
    'node',
    `Node.js ${version} is too old: Sotto needs ${oldestNode}.`,
    'start it as "sotto" or with npm start, which bring their own Node.js',
  );
}

function checkEngine(): Finding {
  const addon = loadEngineAddon();
  if (addon.ok) return ok('engine', 'The native engine is there and can be loaded.');
  return fail('engine', `${capital(addon.failure.message)}.`, addon.failure.remedy);
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
