/** Carries out a plan. It gives back whatever it can, also when a step fails; after a failure it takes nothing. */
import { type Result, succeed } from '../../contract/errors.ts';
import type { SystemDnsMechanism } from '../../contract/system/system-dns.ts';
import type { Mechanism, ServerAddress } from './mechanism.ts';
import type { Plan } from './plan.ts';

export async function carryOut(
  { giveBack, take }: Plan,
  servers: readonly ServerAddress[],
  named: (name: SystemDnsMechanism) => Mechanism,
): Promise<Result<null>> {
  let done: Result<null> = succeed(null);
  for (const { mechanism, link } of giveBack) {
    const given = await named(mechanism).giveBack(link);
    if (done.ok) done = given;
  }
  for (const { mechanism, ...target } of take)
    if (done.ok) done = await named(mechanism).take(target, servers);
  const last = take.at(-1) ?? giveBack.at(-1);
  return done.ok && last !== undefined ? await named(last.mechanism).flush() : done;
}
