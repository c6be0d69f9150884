/**
 * The queries of RFC 8906 section 8, sent to the listeners of Sotto and of sotto-server over UDP and TCP; each gets its response.
 */
import { connect, type Socket } from 'node:net';
import { beforeAll, expect, it } from 'vitest';
import { describeWith } from '../rig/available.ts';
import { ask, dig } from '../rig/dig.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { encodeQuery, parse, rcodes } from '../rig/message.ts';
import { SottoServer } from '../rig/peers/sotto-server.ts';
import { askTcp, askUdp, type Endpoint } from '../rig/raw-client.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { garden, plant } from '../rig/zones/garden.ts';
import { digInTime, openStage, trusting, upstream } from './stage.ts';

interface DigRow {
  row: string;
  type?: string;
  flags: string[];
  status: string;
  /** whether an OPT of version 0 comes back */
  edns: boolean;
}

const name = plant(1);
const key = 'hmac-sha256:key.example:c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0';

const digRows: DigRow[] = [
  { row: 'no EDNS', flags: ['+noedns'], status: 'NOERROR', edns: false },
  { row: 'EDNS', flags: ['+edns=0'], status: 'NOERROR', edns: true },
  { row: 'unknown version', flags: ['+edns=1', '+noednsneg'], status: 'BADVERS', edns: true },
  { row: 'unknown option', flags: ['+ednsopt=100'], status: 'NOERROR', edns: true },
  {
    row: 'unknown option with data',
    flags: ['+ednsopt=65001:616263'],
    status: 'NOERROR',
    edns: true,
  },
  { row: 'unknown EDNS flag', flags: ['+ednsflags=0x40'], status: 'NOERROR', edns: true },
  {
    row: 'unknown version, flag and option',
    flags: ['+edns=1', '+noednsneg', '+ednsflags=0x40', '+ednsopt=100'],
    status: 'BADVERS',
    edns: true,
  },
  { row: 'DO', flags: ['+dnssec'], status: 'NOERROR', edns: true },
  { row: 'NSID', flags: ['+nsid'], status: 'NOERROR', edns: true },
  { row: 'cookie', flags: ['+cookie'], status: 'NOERROR', edns: true },
  { row: 'client subnet', flags: ['+subnet=192.0.2.0/24'], status: 'NOERROR', edns: true },
  { row: 'padding', flags: ['+padding=512'], status: 'NOERROR', edns: true },
  { row: 'reserved bit of the header', flags: ['+zflag'], status: 'NOERROR', edns: true },
  { row: 'AD', flags: ['+adflag'], status: 'NOERROR', edns: true },
  { row: 'CD', flags: ['+cdflag'], status: 'NOERROR', edns: true },
  { row: 'unknown type', type: 'TYPE1000', flags: [], status: 'NOERROR', edns: true },
  { row: 'class CH', type: 'TXT', flags: ['-c', 'CH'], status: 'REFUSED', edns: true },
  { row: 'unknown class', flags: ['-c', 'CLASS65280'], status: 'REFUSED', edns: true },
  { row: 'unknown opcode', flags: ['+opcode=15'], status: 'NOTIMP', edns: true },
  {
    row: 'unknown opcode, no EDNS',
    flags: ['+opcode=15', '+noedns'],
    status: 'NOTIMP',
    edns: false,
  },
  { row: 'no question', flags: ['+header-only'], status: 'FORMERR', edns: true },
  {
    row: 'no question, no EDNS',
    flags: ['+header-only', '+noedns'],
    status: 'FORMERR',
    edns: false,
  },
  { row: 'a key nobody knows', flags: ['-y', key], status: 'NOTAUTH', edns: true },
];

/** Header and question section of 12 and more octets, then an OPT of eleven. */
function spoiled(change: (octets: Buffer) => Buffer): Buffer {
  return change(encodeQuery(name, 'A'));
}

const opt = (octets: Buffer) => octets.subarray(octets.length - 11);
const count = (octets: Buffer, at: number, number: number): Buffer => {
  octets.writeUInt16BE(number, at);
  return octets;
};

const rawRows: [row: string, octets: Buffer][] = [
  ['two OPTs', spoiled((octets) => count(Buffer.concat([octets, opt(octets)]), 10, 2))],
  [
    'an option past the end of its OPT',
    spoiled((octets) => {
      octets.writeUInt16BE(4, octets.length - 2);
      return Buffer.concat([octets, Buffer.from([0, 100, 0, 9])]);
    }),
  ],
  [
    'an OPT with a name',
    spoiled((octets) =>
      Buffer.concat([octets.subarray(0, -11), Buffer.from([1, 97]), opt(octets)]),
    ),
  ],
  ['two questions announced', spoiled((octets) => count(octets, 4, 2))],
  ['two questions', spoiled((octets) => twice(octets))],
  ['an answer announced', spoiled((octets) => count(octets, 6, 1))],
  ['an authority announced', spoiled((octets) => count(octets, 8, 1))],
  ['another additional record announced', spoiled((octets) => count(octets, 10, 2))],
];

function twice(octets: Buffer): Buffer {
  const asked = octets.subarray(12, -11);
  return count(Buffer.concat([octets.subarray(0, 12), asked, asked, opt(octets)]), 4, 2);
}

/** In these the OPT can't be told from the records that the header announces in its place. */
const withoutOpt = new Set(['two questions announced']);

const needs = ['sotto', 'sotto-server', 'nsd', 'unbound', 'openssl', 'dig'] as const;

describeWith(needs, 'a listener', () => {
  const lab = labForFile();
  let listeners: Record<'Sotto' | 'sotto-server', Endpoint>;
  beforeAll(async () => {
    const stage = await openStage(lab);
    const service = await SottoService.start(lab, {
      upstreams: [upstream('far', 'dot', stage.unbound.tls, trusting(stage))],
    });
    const server = await SottoServer.start(lab, {
      identity: stage.identity,
      answers: stage.unbound.plain,
    });
    listeners = { Sotto: service.v4, 'sotto-server': server.starttls };
  });

  for (const who of ['Sotto', 'sotto-server'] as const)
    for (const tcp of [false, true]) {
      const where = `${who}, ${tcp ? 'TCP' : 'UDP'}`;
      it.each(digRows)(`${where}: $row`, async ({ type = 'A', flags, status, edns }) => {
        const response = await eventually('unbound responds in time', async () => {
          const said = await ask('dig', listeners[who], name, type, { tcp, flags });
          return said.status !== 'SERVFAIL' && said;
        });
        expect(response.status).toBe(status);
        expect(/; EDNS: version: 0, flags:(?: do)?;/.test(response.text)).toBe(edns);
        if (status === 'NOTAUTH') expect(response.text).toContain('BADKEY');
        if (status === 'NOERROR' && type === 'A') expect(response.answers).toHaveLength(1);
      });

      it.each(rawRows)(`${where}: %s`, async (row, octets) => {
        const send = tcp ? askTcp : askUdp;
        const response = parse(await send(listeners[who], octets));
        expect(response.rcode).toBe(rcodes.FORMERR);
        const hasOpt = response.records.some((record) => record.type === 41);
        expect(hasOpt).toBe(!withoutOpt.has(row));
      });
    }

  it.each(['Sotto', 'sotto-server'] as const)('%s responds to a large datagram', async (who) => {
    for (const padding of [1200, 1300, 4100, 60_000]) {
      const padded = Buffer.concat([encodeQuery(name, 'A'), Buffer.alloc(4 + padding)]);
      const optionAt = padded.length - 4 - padding;
      padded.writeUInt16BE(4 + padding, optionAt - 2);
      padded.writeUInt16BE(12, optionAt);
      padded.writeUInt16BE(padding, optionAt + 2);
      await expect
        .poll(async () => parse(await askUdp(listeners[who], padded)).answers)
        .toHaveLength(1);
    }
  });

  it('without recursion desired Sotto sends nothing upstream, and does not tell what is in its cache', async () => {
    const { Sotto } = listeners;
    expect((await digInTime(Sotto, plant(2))).status).toBe('NOERROR');
    for (const asked of [plant(2), `never.${garden}`]) {
      const response = await dig(Sotto, asked, 'A', '+norec');
      expect([response.status, response.extendedError?.code]).toEqual(['REFUSED', 20]);
    }
    expect((await dig(Sotto, 'localhost', 'A', '+norec')).status).toBe('NOERROR');
  });

  it.each(['Sotto', 'sotto-server'] as const)('%s hangs up on endless garbage', async (who) => {
    const garbage = Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1000));
    const said = await untilHangUp(listeners[who], (socket) => {
      while (!socket.destroyed && socket.write(garbage));
    });
    expect(said).toBeLessThanOrEqual(17 * 14);
  });

  it.each(['Sotto', 'sotto-server'] as const)(
    '%s hangs up on a frame of eleven octets',
    async (who) => {
      const short = Buffer.concat([Buffer.from([0, 11]), Buffer.alloc(11)]);
      let sent = false;
      const said = await untilHangUp(listeners[who], (socket) => {
        if (!sent) socket.write(short);
        sent = true;
      });
      expect(said).toBe(0);
    },
  );
});

/** Octets that came until the other side closed, with or without a reset. `pour`: writes whenever there is room. */
function untilHangUp({ address, port }: Endpoint, pour: (to: Socket) => void): Promise<number> {
  const socket = connect(port, address);
  let said = 0;
  socket.on('data', (chunk) => {
    said += chunk.length;
  });
  socket.on('connect', () => pour(socket)).on('drain', () => pour(socket));
  socket.on('error', () => {});
  return new Promise((done) => socket.once('close', () => done(said)));
}
