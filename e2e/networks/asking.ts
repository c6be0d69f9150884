/**
 * A program on the machine that looks up a new name every 50 ms by getaddrinfo, as programs do, and prints the result of each.
 * The first argument is the beginning of its names, the second the number of its user. On SIGTERM it looks up no more, and ends
 * when the last name has a response or has failed.
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
