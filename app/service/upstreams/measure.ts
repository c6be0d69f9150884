/** How fast resolvers of the catalogue answer from here: each over a fresh, authenticated connection, asked for the root. */
import type { MeasuredResolver } from '../../contract/upstream-methods.ts';
import { defaultPort, isPrivate } from '../../contract/upstream-settings.ts';
import type { EngineDriver } from '../engine/engine-driver.ts';
import { withPort } from '../network/ip-address.ts';
import type { Resolver } from '../settings/resolver-catalogue.ts';

const timeoutMs = 4000;

/** No user's name (as when an upstream is tested). */
const question = { name: '.', type: 'NS' };

/** Its addresses in order, until one answers. */
export async function measureResolver(
  engine: EngineDriver,
  { id, transport, addresses, names }: Resolver,
): Promise<MeasuredResolver> {
  const nothing = {
    resolver: id,
    ok: false,
    address: null,
    answerMs: null,
    handshakeMs: null,
    tls: null,
  };
  if (!isPrivate(transport))
    return { ...nothing, error: { code: 'not-permitted', message: `${transport} is in clear` } };
  let last: MeasuredResolver = { ...nothing, error: { code: 'no-reply', message: 'no address' } };
  for (const address of addresses) {
    const at = withPort(address, defaultPort(transport));
    const probed = await engine.probe(question, { transport, address: at, names, timeoutMs });
    if (!probed.ok) {
      const { code, message } = probed.failure;
      return { ...nothing, address: at, error: { code, message } };
    }
    const { ok, steps, tls, error } = probed.value;
    const time = (step: string) => steps.find((one) => one.step === step)?.at ?? null;
    const [asked, answered] = [time('question'), time('answer')];
    last = {
      resolver: id,
      ok,
      address: at,
      answerMs: asked === null || answered === null ? null : answered - asked,
      handshakeMs: asked,
      tls,
      error,
    };
    if (ok) return last;
  }
  return last;
}
