/**
 * A program on the machine that asks for a new name each 50 ms by getaddrinfo, as every program does, and says what became of
 * each. The first word is what its names begin with, the second the number of the user it is. Told to end it asks no more, and
 * is over when the last name was answered or failed.
 */
import { lookup } from 'node:dns';

const everyMs = 50;
const [, , word = 'n', user = '65534'] = process.argv;
let count = 0;

process.setgroups?.([]);
process.setgid?.(Number(user));
process.setuid?.(Number(user));

const timer = setInterval(() => {
  const number = ++count;
  process.stdout.write(`asked ${number} ${Date.now()}\n`);
  lookup(`${word}${number}.far.example`, { family: 4 }, (error) => {
    process.stdout.write(error === null ? `answered ${number}\n` : `failed ${number}\n`);
  });
}, everyMs);

process.once('SIGTERM', () => clearInterval(timer));
