/**
 * A program that attacks the control socket, or has a serious defect: a number of connections, each of which does one thing as
 * fast as it can until it is killed. It uses bare sockets, because it does not keep to the protocol.
 *
 *   node hostile-program.ts SOCKET MANNER CONNECTIONS
 */
import { connect, type Socket } from 'node:net';
import { mostEntries } from '../../../app/contract/bounds.ts';

export const manners = {
  /** 3,000 subscriptions each, and all notifications are read */
  follow: { reads: true, says: follows },
  /** the same, and nothing is read */
  'follow unread': { reads: false, says: follows },
  /** the most expensive replies, one after the other */
  ask: { reads: true, says: asks },
  /** the same, and nothing is read */
  'ask unread': { reads: false, says: asks },
  /** requests that never end, as long as they may be */
  'half requests': { reads: true, says: half },
  /** works that continue after their reply */
  works: { reads: true, says: works },
  /** connections that come and go */
  knock: { reads: true, says: knocks },
} as const;

export type Manner = keyof typeof manners;

const follow = ['status.follow', 'stats.follow', 'ledger.follow', 'log.follow'];
const costly = ['ledger.list', 'status.get', 'settings.effective', 'report.compose', 'rule.list'];
const begin = ['doctor.run', 'query.askEach', 'upstream.test'];

let id = 0;

function* follows() {
  for (let count = 0; count < 3000; count++) {
    const method = follow[count % follow.length] as string;
    yield request(method, method === 'ledger.follow' ? { limit: mostEntries } : {});
  }
}

function* asks() {
  for (let count = 0; ; count++) {
    const method = costly[count % costly.length] as string;
    yield request(method, method === 'ledger.list' ? { limit: mostEntries } : {});
  }
}

function* works() {
  for (let count = 0; ; count++) {
    const method = begin[count % begin.length] as string;
    if (method === 'query.askEach') yield request(method, { name: 'a.example', type: 'A' });
    else yield request(method, method === 'upstream.test' ? { id: 'nobody' } : {});
  }
}

function* half() {
  yield 'Content-Length: 1048576\r\n\r\n{"jsonrpc":"2.0","id":1,"method":"ledger.list","params":{"x":"';
  for (let part = 0; part < 15; part++) yield 'x'.repeat(65_536);
}

function* knocks() {
  yield request('status.get', {});
}

function request(method: string, params: object): string {
  const text = JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params });
  return `Content-Length: ${text.length}\r\n\r\n${text}`;
}

function attack(path: string, manner: Manner): void {
  const { reads, says } = manners[manner];
  const socket = connect(path);
  const words: Iterator<string> = says();
  if (reads) socket.resume();
  else socket.pause();
  socket.on('error', () => {});
  socket.on('drain', () => say(socket, words));
  socket.once('connect', () => {
    socket.write(request('hello', { contract: 1, client: 'hostile' }));
    say(socket, words);
    if (manner === 'knock') setTimeout(() => socket.destroy(), 20);
  });
  socket.once('close', () => setTimeout(() => attack(path, manner), 20));
}

function say(socket: Socket, words: Iterator<string>): void {
  for (let word = words.next(); !word.done; word = words.next())
    if (!socket.write(word.value)) return;
}

const [, , path, manner, connections] = process.argv;
if (import.meta.main && path !== undefined) {
  for (let each = 0; each < Number(connections); each++) attack(path, manner as Manner);
  console.log('at it');
}
