/** From a program that was just started to its first response with data. */
import { createSocket } from 'node:dgram';
import { encodeQuery } from '../e2e/rig/message.ts';
import type { Program } from '../e2e/rig/process.ts';

const everyMs = 5;
const patienceMs = 20_000;
/** QR, and the code in the lowest bits (RFC 1035, section 4.1.1) */
const response = 0x8000;
const codeBits = 0x000f;

/** The moment of the answer, on the clock of `performance.now()`. After an error the query is repeated. */
export async function firstAnswer(port: number, program: Program): Promise<number> {
  const socket = createSocket('udp4');
  const answered = new Promise<number>((done) => {
    socket.on('message', (reply) => {
      if (hasData(reply)) done(performance.now());
    });
  });
  const query = encodeQuery('first.example', 'A', { edns: null });
  const ask = () => socket.send(query, port, '127.0.0.1');
  const asking = setInterval(ask, everyMs);
  ask();
  try {
    return await Promise.race([answered, ended(program), tooLate()]);
  } catch (error) {
    await program.stop('SIGKILL');
    throw new Error(`${(error as Error).message}\n${program.transcript().slice(-2000)}`);
  } finally {
    clearInterval(asking);
    socket.close();
  }
}

export function hasData(reply: Buffer): boolean {
  if (reply.length < 12) return false;
  const flags = reply.readUInt16BE(2);
  return (flags & response) !== 0 && (flags & codeBits) === 0 && reply.readUInt16BE(6) > 0;
}

async function ended(program: Program): Promise<never> {
  const { code, signal } = await program.exited;
  throw new Error(`${program.name} ended with ${code ?? signal} before it answered`);
}

function tooLate(): Promise<never> {
  return new Promise((_, failed) => {
    const late = () => failed(new Error(`no answer within ${patienceMs} ms`));
    setTimeout(late, patienceMs).unref();
  });
}
