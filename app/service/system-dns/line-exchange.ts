/** Sends one line to a program of ours that listens on a Unix socket, and reads the line that it answers. */
import { connect } from 'node:net';

export type Exchanged =
  | { line: string }
  /** `died`: it may be back in a moment; `code` is the system's, where there is one */
  | { line: null; died: boolean; code: string | undefined; why: string };

/** The program itself may wait for others, a few seconds at most. */
const answerWithinMs = 10_000;
/** The description of what was there before us may be long, but it has a bound. */
const mostOctets = 1_048_576;

export function exchangeLine(path: string, line: string): Promise<Exchanged> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(path);
    const end = (exchanged: Exchanged) => {
      socket.destroy();
      resolve(exchanged);
    };
    const silent = (why: string, died = false) => end({ line: null, died, code: undefined, why });
    socket.setEncoding('utf8');
    socket.setTimeout(answerWithinMs, () => silent('it does not answer'));
    socket.on('connect', () => socket.write(`${line}\n`));
    socket.on('error', ({ code }: NodeJS.ErrnoException) =>
      end({ line: null, died: true, code: code ?? 'no answer', why: 'it can not be reached' }),
    );
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (text.length > mostOctets) return silent('its answer does not end');
      const ended = text.indexOf('\n');
      if (ended >= 0) end({ line: text.slice(0, ended) });
    });
    socket.on('close', () => silent('it closed the connection without an answer', true));
  });
}

/** Undefined where it is no JSON, which no schema of ours accepts. */
export function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
