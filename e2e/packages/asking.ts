/** A program that looks up a new name again and again, at the resolver that resolv.conf names at that moment. */
import { eventually } from '../rig/eventually.ts';
import type { Lab } from '../rig/lab.ts';
import type { InstallTarget } from './install-target.ts';

const ask = `i=0
while [ ! -e "/run/$0-enough" ]; do
  i=$((i + 1))
  dig +time=1 +tries=1 +short "$0-$i.herald.example" >/dev/null 2>&1
  echo $i >"/run/$0-asked"
done`;

export interface Asking {
  /** Waits until that many more names were looked up. */
  more(count: number): Promise<void>;
  /** Resolves with how many names it looked up. */
  end(): Promise<number>;
}

/** Names begin with `word`. */
export async function keepAsking(lab: Lab, machine: InstallTarget, word: string): Promise<Asking> {
  const program = await machine.start(lab, ['sh', '-c', ask, word]);
  const asked = async () => Number(await machine.read(`/run/${word}-asked`).catch(() => '0'));
  return {
    async more(count) {
      const enough = (await asked()) + count;
      await eventually('more names are asked', async () => (await asked()) >= enough);
    },
    async end() {
      await machine.succeed(['touch', `/run/${word}-enough`]);
      await program.exited;
      return await asked();
    },
  };
}
