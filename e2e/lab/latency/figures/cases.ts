/** Figure 7 of the T-DNS report, case by case: by our client that dials for each query, and through the stub that reuses. */
import { type Answers, allAtOnce, inSequence } from '../ask.ts';
import { askAt, type Transport } from '../at.ts';
import type { Figure, Sample } from '../figure.ts';
import { middle, type Stage } from '../stage.ts';

const rows = {
  a: 'a · UDP, one by one',
  b: 'b · TCP, new connection each',
  c: 'c · STARTTLS, new connection each',
  dot: 'c′ · DoT, new connection each',
  d: 'd · TCP with Fast Open, new each',
  e: 'e · TCP reused',
  f: 'f · TLS reused (DoT)',
  fStarttls: 'f′ · TLS reused (STARTTLS)',
  resumed: 'f″ · STARTTLS resumed with Fast Open',
  g: 'g · UDP, all at once',
  h: 'h · TCP reused, all at once',
  i: 'i · TLS reused, all at once',
} as const;
const direct = 'own client';
const stub = 'through the stub';
const together = 140;
const oneByOne = 30;
const dialled = 3;
const seeding =
  'the random generator of aws-lc seeded before the dial: 25 to 50 ms of computing in a process that has just started';

export const cases: Figure = {
  id: 'cases',
  title: 'Figure 7: nine cases',
  how: `Medians of a query: of ${oneByOne} one by one, of ${together} at once, of ${dialled} with a connection each. "Own client" is sotto query --at, which dials for each query; where nothing is dialled, a bare UDP socket. Fast Open is allowed by both kernels (net.ipv4.tcp_fastopen = 3) where the case says so, and through the stub. The stub keeps nothing warm (connections.keepWarm = false), so after a connection was cut the query has to dial.`,
  unit: '× UDP',
  columns: [direct, stub],
  published: {
    [rows.a]: '1',
    [rows.b]: '2',
    [rows.c]: '5',
    [rows.d]: '1',
    [rows.e]: '1',
    [rows.f]: '1',
    [rows.g]: '1–2.5',
    [rows.h]: '~2.5',
    [rows.i]: '~2.5',
  },
  reach: [
    { row: rows.e, column: stub, atMost: 1.03, needs: 'nothing more' },
    { row: rows.f, column: stub, atMost: 1.03, needs: 'nothing more' },
    { row: rows.fStarttls, column: stub, atMost: 1.03, needs: 'nothing more' },
    { row: rows.dot, column: direct, atMost: 3.1, needs: seeding },
    { row: rows.c, column: direct, atMost: 4.1, needs: seeding },
    { row: rows.d, column: direct, atMost: 1.05, needs: 'nothing more' },
    { row: rows.resumed, column: stub, atMost: 3.1, needs: 'nothing more' },
  ],
  async measure(round) {
    return await round.at({}, async (stage) => {
      const yardstick = await stage.udpMs();
      const found = [...(await byOwnClient(stage)), ...(await throughTheStub(stage))];
      return { samples: found.map((each) => ({ ...each, value: each.value / yardstick })) };
    });
  },
};

async function byOwnClient(stage: Stage): Promise<Sample[]> {
  const samples: Sample[] = [];
  const add = (row: string, value: number) => samples.push({ row, column: direct, value });
  await stage.allowFastOpen(false);
  for (const [row, transport] of [
    [rows.a, 'udp'],
    [rows.b, 'tcp'],
    [rows.c, 'tdns'],
    [rows.dot, 'dot'],
  ] as const)
    add(row, await eachDialled(stage, transport));
  await stage.allowFastOpen(true);
  await askAt(stage, 'tcp'); // brings the cookie
  add(rows.d, await eachDialled(stage, 'tcp'));
  const answers = await stage.ask(stage.plain, allAtOnce(stage.names(together)));
  add(rows.g, middle(answers.ms));
  return samples;
}

async function throughTheStub(stage: Stage): Promise<Sample[]> {
  const samples: Sample[] = [];
  const add = (row: string, value: number) => samples.push({ row, column: stub, value });
  for (const [transport, reused, atOnce] of [
    ['tcp', rows.e, rows.h],
    ['dot', rows.f, rows.i],
    ['tdns', rows.fStarttls, null],
  ] as const) {
    const { door, service } = await stage.sotto(transport, { connections: { keepWarm: false } });
    await stage.ask(door, inSequence(stage.names(3)));
    add(reused, middle((await stage.ask(door, inSequence(stage.names(oneByOne)))).ms));
    if (atOnce !== null)
      add(atOnce, middle(complete(await stage.ask(door, allAtOnce(stage.names(together)))).ms));
    if (transport === 'tdns') add(rows.resumed, await afterCuts(stage, door));
    await service.stop();
  }
  return samples;
}

async function eachDialled(stage: Stage, transport: Transport): Promise<number> {
  const taken: number[] = [];
  for (let asked = 0; asked < dialled; asked++) taken.push(await askAt(stage, transport));
  return middle(taken);
}

async function afterCuts(stage: Stage, door: { address: string; port: number }): Promise<number> {
  const taken: number[] = [];
  for (let asked = 0; asked < dialled; asked++) {
    await stage.cut();
    taken.push(await stage.askOne(door));
  }
  return middle(taken);
}

function complete(answers: Answers): Answers {
  if (answers.errors > 0) throw new Error(`${answers.errors} answers were errors`);
  return answers;
}
