/**
 * Requests a number of pages through a login's port, as its window would, and leaves each when nothing more comes: `window.ts
 * OPENED COUNT`.
 */
import { connect } from 'node:net';
import type { OpenedPortal } from '../../../app/contract/system/portal.ts';

const [, , opened = '', count = ''] = process.argv;
const { proxy, url } = JSON.parse(opened) as OpenedPortal;
const credentials = Buffer.from(`${proxy.user}:${proxy.password}`).toString('base64');
const { host } = new URL(url);
const quietMs = 100;
const mostPieces = 20;
const lanes = 16;
let left = Number(count);
let heard = 0;

async function visit(): Promise<void> {
  const client = connect(proxy.port, proxy.host).on('error', () => {});
  const leave = () => client.destroy();
  let quiet = setTimeout(leave, 20 * quietMs);
  let pieces = 0;
  client.on('data', () => {
    heard++;
    // A peer that floods or trickles is left, too.
    if (++pieces > mostPieces) return;
    clearTimeout(quiet);
    quiet = setTimeout(leave, quietMs);
  });
  client.write(
    `GET http://${host}/${left} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\nproxy-authorization: Basic ${credentials}\r\n\r\n`,
  );
  await new Promise((resolve) => client.once('close', resolve));
  clearTimeout(quiet);
}

await Promise.all(
  Array.from({ length: lanes }, async () => {
    while (left-- > 0) await visit();
  }),
);
console.log(heard);
