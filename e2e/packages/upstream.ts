/** A resolver on the computer itself, private by its own certificate, in front of the demo's zone. */
import type { Lab } from '../rig/lab.ts';
import { type InstallTarget, sources } from './install-target.ts';

const name = 'resolver.demo.example';

/** The resolver as an entry of the setting `upstreams`. */
export async function startUpstream(
  lab: Lab,
  machine: InstallTarget,
  certificate = '/srv/resolver.pem',
  tree = sources,
) {
  const server = await machine.start(lab, [
    `${tree}/target/release/sotto-server`,
    ...['--zone', `${tree}/assets/demo/example.zone`, '--dot', '127.0.0.1:0'],
    ...['--self-signed', name, '--certificate-out', certificate, '--udp-unproven', 'full'],
  ]);
  const [line] = await server.line(/^\{.*\}$/m);
  const { dot } = JSON.parse(line) as { dot: string[] };
  await machine.succeed(['chmod', '0644', certificate]);
  return { id: 'demo', transport: 'dot', address: dot[0] ?? '', name, ca: certificate };
}
