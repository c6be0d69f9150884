/** However the service ends, what it reported is true and what it wrote stays readable. */
import Database from 'better-sqlite3';
import { beforeAll, expect, it } from 'vitest';
import { connectToService } from '../../app/service-client/service-client.ts';
import { describeWith } from '../rig/available.ts';
import { CertificateAuthority, type Identity } from '../rig/certificates.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { addressAnswer, encodeQuery, parse } from '../rig/message.ts';
import { type Asked, ScriptedResolver } from '../rig/peers/scripted-resolver.ts';
import { askManyTcp, askTcp } from '../rig/raw-client.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { serverName, upstream } from './stage.ts';

describeWith(['sotto', 'openssl'], 'the service', () => {
  const lab = labForFile();
  let ca: CertificateAuthority;
  let identity: Identity;
  beforeAll(async () => {
    ca = await CertificateAuthority.create(lab);
    identity = await ca.issue({ for: [`DNS:${serverName}`] });
  });

  async function startInFrontOf(resolver: ScriptedResolver): Promise<SottoService> {
    const trust = { name: serverName, ca: ca.certificate };
    return await SottoService.start(lab, {
      upstreams: [upstream('scripted', 'dot', resolver.endpoint, trust)],
    });
  }

  it('loses at most its last batch when it is killed, and the database opens without repair', async () => {
    const resolver = await ScriptedResolver.start(lab, identity, ({ query, answer }) =>
      answer(addressAnswer(query, '198.51.100.1')),
    );
    const service = await startInFrontOf(resolver);
    await askManyTcp(service.v4, batch('written', 400));
    await eventually(
      'all are stored',
      async () => (await service.log({ name: 'written*', limit: 1000 })).length === 400,
    );
    await askManyTcp(service.v4, batch('late', 400));
    const exit = await service.kill();
    expect(exit.signal).toBe('SIGKILL');

    const database = new Database(service.queryLogFile, { readonly: true });
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(database.pragma('foreign_key_check')).toEqual([]);
    database.close();

    await service.restart();
    expect(await service.log({ name: 'written*', limit: 1000 })).toHaveLength(400);
    await askTcp(service.v4, encodeQuery('after.example', 'A'));
    await service.logged('after.example');
    await service.stop();
  });

  it('responds to queries in flight when it is asked to stop, and stores what happened', async () => {
    const held: Asked[] = [];
    const resolver = await ScriptedResolver.start(lab, identity, (asked) => {
      // On a slow machine the engine sends a liveness query between them.
      if (asked.name.startsWith('held')) held.push(asked);
      else asked.answer(addressAnswer(asked.query, '192.0.2.1'));
    });
    const service = await startInFrontOf(resolver);
    // The queries wait for a few seconds only, so the one who asks for the end is there before them.
    const client = await connectToService(service.controlSocket, 'a test');
    if (!client.ok) throw new Error(client.failure.message);
    const answers = askManyTcp(service.v4, batch('held', 20));
    await eventually(
      'all wait for the upstream',
      () => new Set(held.map(({ name }) => name)).size === 20,
    );
    const stopping = client.value.call('service.stop', {});
    await eventually('it is stopping', () => service.output.includes('stopping'));
    for (const { query, answer } of held) answer(addressAnswer(query, '198.51.100.2'));
    expect((await answers).map((answer) => parse(answer).answers.length)).toEqual(
      Array(20).fill(1),
    );
    expect(await stopping).toMatchObject({ ok: true });
    expect(await service.exited).toEqual({ code: 0, signal: null });

    await service.restart();
    expect(await service.log({ name: 'held*', outcome: 'forwarded' })).toHaveLength(20);
    await service.stop();
  });

  it('ends when it is asked to stop while the upstream is silent', async () => {
    const resolver = await ScriptedResolver.start(lab, identity, () => {});
    const service = await startInFrontOf(resolver);
    const unanswered = askTcp(service.v4, encodeQuery('silence.example', 'A')).catch(() => null);
    await eventually('the query is there', () => resolver.asked.length > 0);
    expect(await service.stop()).toEqual({ code: 143, signal: null });
    const answer = await unanswered;
    if (answer !== null) expect(parse(answer).answers).toEqual([]);
  });

  it('runs only once in a folder', async () => {
    const resolver = await ScriptedResolver.start(lab, identity, () => {});
    const service = await startInFrontOf(resolver);
    const second = await service.cli('run');
    expect(second.code).not.toBe(0);
    expect(second.stderr + second.stdout).toMatch(/already/);
    await service.stop();
  });
});

function batch(prefix: string, count: number): Buffer[] {
  return Array.from({ length: count }, (_, id) =>
    encodeQuery(`${prefix}${id}.example`, 'A', { id }),
  );
}
