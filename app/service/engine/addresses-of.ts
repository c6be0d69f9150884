/** The addresses of a name that the service itself wants to reach. */
import { isIP } from 'node:net';
import type { EngineDriver } from './engine-driver.ts';

/** By the engine, so under the policy in force, as a program's query would go. */
export async function addressesOf(
  engine: Pick<EngineDriver, 'ask'>,
  name: string,
): Promise<string[]> {
  const asked = await Promise.all(['A', 'AAAA'].map((type) => engine.ask(name, type)));
  return asked.flatMap((one) =>
    one.ok
      ? one.value.response.answer.map(({ data }) => data).filter((data) => isIP(data) !== 0)
      : [],
  );
}
