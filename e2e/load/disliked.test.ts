/** An upstream that closes the connection over each query that it dislikes, with all others that are on their way there. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { labForTest } from '../rig/lab.ts';
import { addressAnswer } from '../rig/message.ts';
import { type Asked, ScriptedResolver } from '../rig/peers/scripted-resolver.ts';
import { serverName } from '../rig/peers/sotto-server.ts';
import { load } from '../rig/sotto-lab.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { describeLoad, resolverIdentity } from './scenario.ts';

const rate = 500;
const seconds = 10;
/** how many queries are on their way when one of them is disliked */
const answerMs = 20;

async function behave({ name, query, answer, cut }: Asked): Promise<void> {
  if (name.startsWith('bad')) return cut();
  await pause(answerMs);
  answer(addressAnswer(query, '198.51.100.1'));
}

describeLoad('an upstream that closes over queries that it dislikes', () => {
  it.each([1, 5])('only those fail where they are %i of a hundred', async (percent) => {
    const lab = await labForTest();
    const identity = await resolverIdentity(lab);
    const picky = await ScriptedResolver.start(lab, identity, behave);
    const address = `127.0.0.1:${picky.endpoint.port}`;
    const ca = identity.authority;
    const upstream = { id: 'picky', transport: 'dot', address, name: serverName, ca };
    const settings = { upstreams: [{ ...upstream, alternative: false }] };
    const service = await SottoService.start(lab, settings);

    const every = 100 / percent;
    // each name is queried once, so that only the upstream's behaviour decides about it
    const names = Array.from({ length: rate * seconds }, (_, index) =>
      index % every === every - 1 ? `bad${index}.example` : `good${index}.example`,
    );
    const bad = names.filter((name) => name.startsWith('bad')).length;
    const run = await load(lab, service.v4, { rate, seconds, names });
    const summary = await run.summary();
    console.log(
      `figure: ${percent} % disliked, ${picky.connections} connections, ${JSON.stringify(summary)}`,
    );
    expect(summary).toMatchObject({ sent: names.length, lost: 0, late: 0, duplicates: 0 });
    expect(summary.rcodes).toEqual({ NOERROR: names.length - bad, SERVFAIL: bad });
  });
});
