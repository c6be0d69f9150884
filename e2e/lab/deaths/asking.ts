/**
 * A program on the machine that asks for a new name each 50 ms by getaddrinfo, as every program does, and says what became of
 * each. The first word is what its names begin with.
 */
import { lookup } from 'node:dns';

const everyMs = 50;
const [, , word = 'n'] = process.argv;
let count = 0;

setInterval(() => {
  const number = ++count;
  process.stdout.write(`asked ${number}\n`);
  lookup(`${word}${number}.far.example`, { family: 4 }, (error) => {
    process.stdout.write(error === null ? `answered ${number}\n` : `failed ${number}\n`);
  });
}, everyMs);
