import { expect, test } from 'vitest';
import { countBufferErrors, countDrops } from './socket-drops.ts';

const table = `   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops
 1180: 0100007F:14B4 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 123 2 0000000000000000 281
 1181: 0100007F:14B4 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 124 2 0000000000000000 9
 1182: 0100007F:A14B 0100007F:14B4 01 00000000:00000000 00:00000000 00000000     0        0 125 2 0000000000000000 5
`;

test('all sockets of the port count, clients of it do not', () => {
  expect(countDrops(table, 5300)).toBe(290);
});

test('an unused port has dropped nothing', () => {
  expect(countDrops(table, 53)).toBe(0);
});

test('drops of the whole machine are read by the name of their column', () => {
  const counters = `Tcp: RtoAlgorithm RtoMin\nTcp: 1 200\nUdp: InDatagrams NoPorts InErrors RcvbufErrors\nUdp: 900 3 341 337\nUdpLite: InDatagrams RcvbufErrors\nUdpLite: 0 7\n`;
  expect(countBufferErrors(counters)).toBe(337);
  expect(countBufferErrors('')).toBe(0);
});
