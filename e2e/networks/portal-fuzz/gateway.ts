/** A gateway's web server, which is hostile to each connection in another way: `gateway.ts PORT SEED`. */
import { chanceFrom } from './chance.ts';
import { speechOf } from './exchange.ts';
import { HostileServer } from './hostile-server.ts';

const [, , port = '', seed = ''] = process.argv;
const server = await HostileServer.start('0.0.0.0', Number(port));
let next = Number(seed);
server.tell(() => {
  console.log('met');
  return speechOf(chanceFrom(next++), 'page');
});
console.log('listening');
