/**
 * The one door to code that was never run: the mechanisms of macOS and Windows, written from the vendors' documentation. The door is
 * closed unless SOTTO_NEVER_RUN=1 is in the service's environment; then each mechanism says that it was never run. The descriptions
 * of the service for both systems are in build/system/never-run/. A mechanism leaves this folder, and is named in README and help,
 * once somebody has run it.
 */
import type { Mechanism } from '../mechanism.ts';
import { macosMechanism } from './macos.ts';
import { windowsMechanism } from './windows.ts';

const systems: Partial<Record<NodeJS.Platform, { name: string; open(): Mechanism }>> = {
  darwin: { name: 'macOS', open: () => macosMechanism() },
  win32: { name: 'Windows', open: () => windowsMechanism() },
};

export function neverRunMechanisms(
  platform: NodeJS.Platform,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Mechanism[] {
  const system = systems[platform];
  if (system === undefined || environment['SOTTO_NEVER_RUN'] !== '1') return [];
  const mechanism = system.open();
  return [
    {
      ...mechanism,
      async look() {
        const { usable, why } = await mechanism.look();
        return { usable, why: `${why} This was never run on ${system.name}.` };
      },
    },
  ];
}
