import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, expect, test } from 'vitest';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/**
 * A process with the service's lifetime; `stop`, `then` and `answer` are its own code, `ending` is the meaning of a signal. Its
 * clock stands still, because two signals may come far apart on a machine that is busy.
 */
async function live(
  stop: string,
  then = '',
  { guarded = false, ending = 'give-back', answer = '' } = {},
) {
  const program = `
    import { untilEnd } from ${JSON.stringify(new URL('./lifetime.ts', import.meta.url).href)};
    import { once } from 'node:events';
    import { createJournal, journalStream } from ${JSON.stringify(new URL('../logging/journal.ts', import.meta.url).href)};
    const asked = Promise.withResolvers();
    const service = {
      reload: async () => { console.log('reloaded'); },
      stop: async ({ giveBack }) => { console.log('stop, give back: ' + giveBack); ${stop} },
      answerInFlight: async () => { ${answer} },
      storeEvents: async () => { console.log('events stored'); ${stop} },
      stopAsked: asked.promise,
    };
    const busy = setInterval(() => {}, 1000);
    const meaningOf = () => ${JSON.stringify(ending)};
    const ended = untilEnd(service, createJournal(journalStream()), { meaningOf, guarded: ${guarded}, now: () => 0 });
    console.log('ready');
    ${then}
    process.exitCode = await ended;
    clearInterval(busy);
    console.log('ended');
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program]);
  children.push(child);
  const said: string[] = [];
  const lines = createInterface(child.stdout);
  lines.on('line', (line) => said.push(line));
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  // Until then its output may not have been read.
  const exited = once(child, 'close').then(([code]) => code as number);
  const says = (wanted: string) => expect.poll(() => said, { timeout: 60_000 }).toContain(wanted);
  await says('ready');
  return { child, said, says, exited, errors: () => stderr };
}

const untilTold = "await once(process.stdin, 'data'); process.stdin.destroy();";

test.each([
  ['SIGTERM', 'give-back', true, 0],
  ['SIGINT', 'give-back', true, 0],
  ['SIGTERM', 'leave', false, 0],
  ['SIGTERM', 'killed', false, 143],
  ['SIGINT', 'killed', false, 130],
] as const)(
  '%s that means %s gives back: %s, and ends with %s',
  async (...[signal, ending, giveBack, code]) => {
    const { child, said, exited } = await live('', '', { ending });
    child.kill(signal);
    expect(await exited).toBe(code);
    expect(said).toEqual(['ready', `stop, give back: ${giveBack}`, 'ended']);
  },
);

test('asked to stop it gives back, whatever signals mean', async () => {
  const { said, exited } = await live('', 'asked.resolve();', { ending: 'killed' });
  expect(await exited).toBe(0);
  expect(said).toEqual(['ready', 'stop, give back: true', 'ended']);
});

test('a second signal does not wait for a stop that hangs', async () => {
  const { child, says, exited } = await live('await new Promise(() => {});');
  child.kill('SIGTERM');
  await says('stop, give back: true');
  child.kill('SIGTERM');
  expect(await exited).toBe(1);
});

test('a signal that nobody wished does not wait for a stop that hangs', async () => {
  const { child, exited } = await live('await new Promise(() => {});', '', { ending: 'killed' });
  child.kill('SIGTERM');
  expect(await exited).toBe(143);
});

test('what a guardian passes on is not a second signal', async () => {
  const { child, said, says, exited } = await live(untilTold, '', { guarded: true });
  child.kill('SIGINT');
  await says('stop, give back: true');
  child.kill('SIGTERM');
  child.stdin.end('stop may go on');
  expect(await exited).toBe(0);
  expect(said).toEqual(['ready', 'stop, give back: true', 'ended']);
});

test('the echo of a Ctrl-C is not a second one', async () => {
  const { child, said, says, exited } = await live(untilTold);
  child.kill('SIGINT');
  await says('stop, give back: true');
  child.kill('SIGINT');
  child.stdin.end('stop may go on');
  expect(await exited).toBe(0);
  expect(said).toEqual(['ready', 'stop, give back: true', 'ended']);
});

test('SIGHUP reads the settings again', async () => {
  const { child, says, exited } = await live('');
  child.kill('SIGHUP');
  await says('reloaded');
  child.kill('SIGTERM');
  expect(await exited).toBe(0);
});

test.each([
  ['exception', "setImmediate(() => { throw new Error('secret.example'); });"],
  ['rejection', "Promise.reject(new Error('secret.example'));"],
])(
  'an unexpected %s answers what is in flight, stores events, ends with 1 and names no query',
  async (_what, code) => {
    const answer = "console.log('answered');";
    const { said, exited, errors } = await live('', code, { answer });
    expect(await exited).toBe(1);
    expect(said).toEqual(['ready', 'answered', 'events stored']);
    expect(errors()).toMatch(/"level":"fatal".*"unexpected error"/);
    expect(errors()).not.toMatch(/secret/);
  },
);

test.each([
  ['throws', 'throw new Error();'],
  ['hangs', 'await new Promise(() => {});'],
])('after a bug, storing that %s does not hold the end up', async (_what, storing) => {
  const { exited } = await live(storing, 'setImmediate(() => { throw new Error(); });');
  expect(await exited).toBe(1);
});

test.each([
  ['fails', 'throw new Error();'],
  ['hangs', 'await new Promise(() => {});'],
])('after a bug, events are stored even if answering %s', async (_what, answer) => {
  const { said, exited } = await live('', 'setImmediate(() => { throw new Error(); });', {
    answer,
  });
  expect(await exited).toBe(1);
  expect(said).toEqual(['ready', 'events stored']);
});

test('a bug while it stops ends it', async () => {
  const { child, exited } = await live('throw new Error();');
  child.kill('SIGTERM');
  expect(await exited).toBe(1);
});
