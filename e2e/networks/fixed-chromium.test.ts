/** A real Chromium, told by its user to ask a resolver of its own, no longer does so once it is fixed. */
import { expect, it } from 'vitest';
import { describeInNetworks } from '../rig/available.ts';
import { labForTest } from '../rig/lab.ts';
import { findProgram } from '../rig/process.ts';
import { Helper } from './helper.ts';
import { Machine } from './machine.ts';

const profile = '/run/profile';
const resolver = 'https://127.0.0.1:8443/dns-query';
const choice = { dns_over_https: { mode: 'secure', templates: resolver } };

/** Counts connections, and prints how many there were when it is told to end. */
const counting = `let count = 0;
  require('node:net').createServer((socket) => { count += 1; socket.on('error', () => {}).destroy(); })
    .listen(8443, '127.0.0.1', () => console.log('listening'));
  process.on('SIGTERM', () => { console.log('connections=' + count); process.exit(); });`;

const chromium = findProgram('chromium') ?? findProgram('google-chrome');

describeInNetworks([], 'a fixed Chromium', () => {
  it('opens no connection to the resolver of its user, and does so again after the undo', async (context) => {
    if (chromium === undefined)
      return context.skip('no Chromium that reads policies is installed: apt-get install chromium');
    const lab = await labForTest();
    const machine = await Machine.create(lab, 'chromium');
    await machine.ip('link', 'set', 'lo', 'up');
    await machine.write('/etc/resolv.conf', 'nameserver 127.0.0.1\n');
    const helper = await Helper.start(lab, machine);
    expect(await connections(machine, chromium)).toBeGreaterThan(0);
    await helper.ask({ verb: 'fix', fix: fixOf(chromium) });
    expect(await connections(machine, chromium)).toBe(0);
    await helper.ask({ verb: 'undo-fix', fix: fixOf(chromium) });
    expect(await connections(machine, chromium)).toBeGreaterThan(0);
  });
});

function fixOf(program: string): string {
  return program.endsWith('chromium') ? 'chromium' : 'chrome';
}

/** To the resolver that its user chose, while it looks up a name. */
async function connections(machine: Machine, program: string): Promise<number> {
  await machine.shell(`rm -rf ${profile}`);
  await machine.write(`${profile}/Local State`, JSON.stringify(choice));
  const counter = await machine.start(process.execPath, ['-e', counting]);
  await counter.ready(async () => counter.stdout.includes('listening'));
  const words = ['--headless=new', '--no-sandbox', '--disable-gpu', `--user-data-dir=${profile}`];
  await machine.run(program, [...words, '--dump-dom', 'http://name.example/'], {
    timeoutMs: 70_000,
  });
  await counter.stop('SIGTERM');
  return Number(/connections=(\d+)/.exec(counter.stdout)?.[1]);
}
