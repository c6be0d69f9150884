/** Runs the network watch inside a network namespace and prints each of its reports as a line of JSON. */
import { createRequire } from 'node:module';
import type { EngineAddon } from '../../app/service/engine/engine-addon.ts';
import { watchLinux } from '../../app/service/network/linux-network-watch.ts';
import { type NetworkStay, stayAfter } from '../../app/service/network/network-stay.ts';
import { watchResolversOnBus } from '../../app/service/network/resolvers-on-bus.ts';
import { inRoot } from '../../build/places.mjs';

const addon = createRequire(import.meta.url)(
  inRoot('target', 'addon', 'sotto.node'),
) as Required<EngineAddon>;
const watching = watchLinux(addon, watchResolversOnBus(addon));
if (!watching.ok) throw new Error(watching.failure.message);
const watch = watching.value;

let stay: NetworkStay | null = null;
const tell = () => {
  stay = stayAfter(stay, watch.current());
  console.log(JSON.stringify({ snapshot: watch.current(), stay }));
};
watch.onChange(tell);
tell();
process.once('SIGTERM', () => {
  watch.close();
  clearInterval(alive);
});
/** The watch does not keep a process alive. */
const alive = setInterval(() => {}, 2 ** 30);
