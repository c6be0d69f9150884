/** An upstream that closes the connection over each query that it dislikes, with all others that are on their way there. */
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
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

/** Each handshake needs the processor; where others have it, this upstream itself is the slow one. */
const attempts = 3;
/** A machine on which one response came so late stood still meanwhile. */
const stoodStillMs = 500;

describeLoad('an upstream that closes over queries that it dislikes', () => {
  it.for([1, 5])('only those fail where they are %i of a hundred', async (percent, { skip }) => {
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const { summary, bad, lateMs, latestMs } = await dislike(percent);
      const wanted = { NOERROR: rate * seconds - bad, SERVFAIL: bad };
      const wasPrompt = lateMs < answerMs / 2 && latestMs < stoodStillMs;
      if (!wasPrompt && !isDeepStrictEqual(summary.rcodes, wanted)) continue;
      expect(summary).toMatchObject({ sent: rate * seconds, lost: 0, late: 0, duplicates: 0 });
      expect(summary.rcodes).toEqual(wanted);
      return;
    }
    skip('the machine is too busy: the upstream responded late by itself');
  });
});

async function dislike(percent: number) {
  const lab = await labForTest();
  const identity = await resolverIdentity(lab);
  const late: number[] = [];
  const behave = async ({ name, query, answer, cut }: Asked): Promise<void> => {
    if (name.startsWith('bad')) return cut();
    const began = performance.now();
    await pause(answerMs);
    late.push(performance.now() - began - answerMs);
    answer(addressAnswer(query, '198.51.100.1'));
  };
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
  const sorted = late.toSorted((a, b) => a - b);
  const lateMs = sorted[Math.floor(late.length * 0.99)] ?? 0;
  const latestMs = sorted.at(-1) ?? 0;
  console.log(
    `figure: ${percent} % disliked, ${picky.connections} connections, late by ${lateMs.toFixed(1)} ms, at most ${latestMs.toFixed(1)} ms, ${JSON.stringify(summary)}`,
  );
  return { summary, bad, lateMs, latestMs };
}
