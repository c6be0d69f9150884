/** What these tests borrow from the machine beyond what the lab does. */
import { it } from 'vitest';
import { describeInLab } from '../lab/available.ts';
import type { Need as SystemNeed } from '../rig/available.ts';
import { type UnpackedPackage, unpackedPackages, whyNotUnpacked } from './unpacked.ts';

type Need = SystemNeed | UnpackedPackage;

/** What every network here is made of. */
const always: SystemNeed[] = ['dnsmasq', 'unbound', 'dbus-daemon'];

/** `describe` where machines with an /etc and a bus of their own can be made, or one skipped test that says why not. */
export function describeInNetworks(needs: readonly Need[], title: string, body: () => void): void {
  const unpacked = unpackedPackages.filter((name) => needs.includes(name));
  const programs = needs.filter((need) => !unpackedPackages.includes(need as UnpackedPackage));
  const reason = unpacked.map(whyNotUnpacked).find((each) => each !== null);
  if (reason !== undefined) it(title, (context) => context.skip(reason));
  else describeInLab([...always, ...(programs as SystemNeed[])], title, body);
}
