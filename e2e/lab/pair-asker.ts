/**
 * Queries A and AAAA of a name at once, as getaddrinfo does, and the next pair when both responses are there.
 *
 *   node pair-asker.ts ADDRESS PORT ZONE PAIRS
 */
import { createSocket } from 'node:dgram';
import { encodeQuery } from '../rig/message.ts';

const [address = '', port = '', zone = '', pairs = ''] = process.argv.slice(2);
const types = ['A', 'AAAA'] as const;
const socket = createSocket('udp4');
let answered: () => void = () => {};
socket.on('message', () => answered());

for (let pair = 0; pair < Number(pairs); pair++) {
  await new Promise<void>((done) => {
    let missing: number = types.length;
    answered = () => {
      missing--;
      if (missing === 0) done();
    };
    for (const type of types)
      socket.send(encodeQuery(`pair${pair}.${zone}`, type), Number(port), address);
  });
}
socket.close();
