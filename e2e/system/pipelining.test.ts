/** Many queries on one connection, with responses in any order, or without any. */
import { beforeAll, expect, it } from 'vitest';
import { describeWith } from '../rig/available.ts';
import { CertificateAuthority, type Identity } from '../rig/certificates.ts';
import { eventually } from '../rig/eventually.ts';
import { type Lab, labForFile } from '../rig/lab.ts';
import { addressAnswer, encodeQuery, parse } from '../rig/message.ts';
import { type Asked, ScriptedResolver } from '../rig/peers/scripted-resolver.ts';
import { askManyTcp, askUdp } from '../rig/raw-client.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { serverName, upstream } from './stage.ts';

describeWith(['sotto', 'openssl'], 'one connection', () => {
  const lab = labForFile();
  let ca: CertificateAuthority;
  let identity: Identity;
  beforeAll(async () => {
    ca = await CertificateAuthority.create(lab);
    identity = await ca.issue({ for: [`DNS:${serverName}`] });
  });

  async function serviceInFrontOf(lab: Lab, resolver: ScriptedResolver): Promise<SottoService> {
    const trust = { name: serverName, ca: ca.certificate };
    return await SottoService.start(lab, {
      upstreams: [upstream('scripted', 'dot', resolver.endpoint, trust)],
    });
  }

  it('carries a thousand queries at once, with responses in another order', async () => {
    const held: Asked[] = [];
    let told = 0;
    const resolver = await ScriptedResolver.start(lab, identity, (asked) => {
      // On a slow machine the engine sends a liveness query between them, and what waits on another connection, too.
      if (!asked.name.startsWith('number'))
        return asked.answer(addressAnswer(asked.query, '192.0.2.1'));
      held.push(asked);
      if (new Set(held.map(({ name }) => name)).size < 1000) return;
      for (const one of shuffled(held.slice(told))) one.answer(numberedAnswer(one));
      told = held.length;
    });
    const service = await serviceInFrontOf(lab, resolver);
    const batches = Array.from({ length: 10 }, (_, batch) => numbered(batch * 100, 100));
    const answers = await Promise.all(batches.map((batch) => askManyTcp(service.v4, batch)));
    expect(answers.flat().map(addressOf)).toEqual(
      Array.from({ length: 1000 }, (_, number) => numberAsAddress(number)),
    );
    expect(resolver.connections).toBeLessThan(10);
    const places = held.map(({ connection, query }) => `${connection} ${query.readUInt16BE(0)}`);
    expect(new Set(places).size, 'no id twice on a connection').toBe(held.length);
    await service.stop();
  });

  it('that dies loses no query, and no query gets two responses', async () => {
    const resolver = await ScriptedResolver.start(lab, identity, (asked) => {
      const onFirst = resolver.asked.filter(({ connection }) => connection === 1).length;
      if (asked.connection > 1 || onFirst <= 20) asked.answer(numberedAnswer(asked));
      else if (onFirst === 50) asked.cut();
    });
    const service = await serviceInFrontOf(lab, resolver);
    const queries = numbered(0, 50);
    const answers = await askManyTcp(service.v4, [
      ...queries,
      encodeQuery('number999.example', 'A', { id: 999 }),
    ]);
    expect(answers.slice(0, 50).map(addressOf)).toEqual(
      queries.map((_, number) => numberAsAddress(number)),
    );
    expect(resolver.connections).toBeGreaterThan(1);
    const { outcomes } = await service.status();
    expect(outcomes.forwarded).toBe(51);
    await service.stop();
  });

  it('carries equal queries only once', async () => {
    let release = () => {};
    const released = new Promise<void>((done) => (release = done));
    const resolver = await ScriptedResolver.start(lab, identity, (asked) => {
      if (asked.name === 'marker.example') asked.answer(addressAnswer(asked.query, '198.51.100.1'));
      else void released.then(() => asked.answer(addressAnswer(asked.query, '198.51.100.2')));
    });
    const service = await serviceInFrontOf(lab, resolver);
    const equal = Array.from({ length: 50 }, (_, id) =>
      encodeQuery('popular.example', 'A', { id }),
    );
    const answers = askManyTcp(service.v4, [
      ...equal,
      encodeQuery('marker.example', 'A', { id: 50 }),
    ]);
    await eventually('the marker behind them arrives', () =>
      resolver.asked.some(({ name }) => name === 'marker.example'),
    );
    release();
    expect((await answers).slice(0, 50).map(addressOf)).toEqual(equal.map(() => '198.51.100.2'));
    // On a slow machine it is sent on another connection, too, at most three times in all (RFC 9520 section 3.1).
    const sent = resolver.asked.filter(({ name }) => name === 'popular.example');
    expect(new Set(sent.map(({ connection }) => connection)).size).toBe(sent.length);
    expect(sent.length).toBeLessThanOrEqual(3);
    await service.stop();
  });

  it('delivers no response to a program that sent another query', async () => {
    const resolver = await ScriptedResolver.start(lab, identity, (asked) => {
      const id = asked.query.readUInt16BE(0);
      const forged = addressAnswer(
        encodeQuery('victim.example', 'A', { id, edns: null }),
        '203.0.113.66',
      );
      if (asked.name === 'honest.example') asked.answer(forged);
      asked.answer(addressAnswer(asked.query, '198.51.100.3'));
    });
    const service = await serviceInFrontOf(lab, resolver);
    const honest = await askUdp(service.v4, encodeQuery('honest.example', 'A'));
    expect(addressOf(honest)).toBe('198.51.100.3');
    const victim = await askUdp(service.v4, encodeQuery('victim.example', 'A'));
    expect(addressOf(victim)).toBe('198.51.100.3');
    await service.stop();
  });
});

function numbered(first: number, count: number): Buffer[] {
  return Array.from({ length: count }, (_, index) => {
    const number = first + index;
    return encodeQuery(`number${number}.example`, 'A', { id: number });
  });
}

function numberedAnswer({ query, name }: Asked): Buffer {
  return addressAnswer(query, numberAsAddress(Number(/^number(\d+)/.exec(name)?.[1])));
}

function numberAsAddress(number: number): string {
  return `198.51.${number >> 8}.${number & 255}`;
}

function addressOf(answer: Buffer): string {
  const { rcode, answers } = parse(answer);
  const record = answers[0];
  return record === undefined
    ? `rcode ${rcode}`
    : answer.subarray(record.dataAt, record.end).join('.');
}

function shuffled<T>(items: T[]): T[] {
  return items
    .map((item) => ({ item, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
}
