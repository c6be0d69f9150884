/**
 * Queries A and AAAA of a name at once over TLS, and the next pair when both responses are there. It leaves acknowledgements to
 * the kernel, as programs do that ignore Nagle's algorithm.
 *
 *   node patient-pair-asker.ts ADDRESS SERVER-NAME CA-FILE ZONE PAIRS
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:tls';
import { FrameReader, frame } from '../rig/framing.ts';
import { encodeQuery } from '../rig/message.ts';

const [host = '', servername = '', caFile = '', zone = '', pairs = ''] = process.argv.slice(2);
const types = ['A', 'AAAA'] as const;
const socket = connect({ host, port: 853, servername, ca: readFileSync(caFile) });
await once(socket, 'secureConnect');
socket.setNoDelay(true);
let answered: () => void = () => {};
new FrameReader(socket).each(() => answered());

for (let pair = 0; pair < Number(pairs); pair++) {
  await new Promise<void>((done) => {
    let missing: number = types.length;
    answered = () => {
      missing--;
      if (missing === 0) done();
    };
    socket.write(
      Buffer.concat(types.map((type) => frame(encodeQuery(`pair${pair}.${zone}`, type)))),
    );
  });
}
socket.destroy();
