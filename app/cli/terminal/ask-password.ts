/** Asks for passwords: a terminal shows nothing of them; otherwise each is a line of the input. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { badUsage } from '../failure.ts';

/** One for each prompt. Rejects where the input ends before. */
export async function askPasswords(prompts: readonly string[]): Promise<string[]> {
  const isTerminal = process.stdin.isTTY === true;
  const input = createInterface({ input: process.stdin, output: silence(), terminal: isTerminal });
  const lines = input[Symbol.asyncIterator]();
  const given: string[] = [];
  try {
    for (const prompt of prompts) {
      if (isTerminal) process.stderr.write(prompt);
      const read = await lines.next();
      if (isTerminal) process.stderr.write('\n');
      if (read.done === true)
        throw badUsage('no password was given', 'type one, or name a file with --password-file');
      given.push(read.value);
    }
    return given;
  } finally {
    input.close();
  }
}

/** Where what is typed would be echoed. */
function silence(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
