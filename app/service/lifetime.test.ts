import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, expect, test } from 'vitest';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** A process that lives as the service does; `stop` and `then` are its own code. */
async function live(stop: string, then = '', guarded = false) {
  const program = `
    import { untilSignal } from ${JSON.stringify(new URL('./lifetime.ts', import.meta.url).href)};
    import { once } from 'node:events';
    import { createLog } from ${JSON.stringify(new URL('./logging/log.ts', import.meta.url).href)};
    const service = {
      reload: async () => { console.log('reloaded'); },
      stop: async () => { console.log('stop called'); ${stop} },
    };
    const busy = setInterval(() => {}, 1000);
    const ended = untilSignal(service, createLog(), ${guarded});
    console.log('ready');
    ${then}
    await ended;
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
  const exited = once(child, 'exit').then(([code]) => code as number);
  const says = (wanted: string) => expect.poll(() => said).toContain(wanted);
  await says('ready');
  return { child, said, says, exited, errors: () => stderr };
}

test.each(['SIGTERM', 'SIGINT'] as const)('%s stops it, then it ends by itself', async (signal) => {
  const { child, said, exited } = await live('');
  child.kill(signal);
  expect(await exited).toBe(0);
  expect(said).toEqual(['ready', 'stop called', 'ended']);
});

test('a second signal does not wait for a stop that hangs', async () => {
  const { child, says, exited } = await live('await new Promise(() => {});');
  child.kill('SIGTERM');
  await says('stop called');
  child.kill('SIGTERM');
  expect(await exited).toBe(1);
});

test('what a guardian passes on is not a second signal', async () => {
  const { child, said, says, exited } = await live(
    "await once(process.stdin, 'data'); process.stdin.destroy();",
    '',
    true,
  );
  child.kill('SIGINT');
  await says('stop called');
  child.kill('SIGTERM');
  child.stdin.end('stop may go on');
  expect(await exited).toBe(0);
  expect(said).toEqual(['ready', 'stop called', 'ended']);
});

test('the echo of a Ctrl-C is not a second one', async () => {
  const { child, said, says, exited } = await live(
    "await once(process.stdin, 'data'); process.stdin.destroy();",
  );
  child.kill('SIGINT');
  await says('stop called');
  child.kill('SIGINT');
  child.stdin.end('stop may go on');
  expect(await exited).toBe(0);
  expect(said).toEqual(['ready', 'stop called', 'ended']);
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
  'an unexpected %s stores what it can, ends with 1 and names no question',
  async (_what, code) => {
    const { said, exited, errors } = await live('', code);
    expect(await exited).toBe(1);
    expect(said).toEqual(['ready', 'stop called']);
    expect(errors()).toMatch(/"level":"fatal".*"unexpected error"/);
    expect(errors()).not.toMatch(/secret/);
  },
);

test('a bug while stopping after a bug does not hold it up', async () => {
  const { exited } = await live(
    'throw new Error();',
    'setImmediate(() => { throw new Error(); });',
  );
  expect(await exited).toBe(1);
});
