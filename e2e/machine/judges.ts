/** What each command of README has to do on a machine on which nothing was built before. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { NewMachine } from './new-machine.ts';

type Judge = (machine: NewMachine, command: string) => Promise<void>;

/** In the order of README. */
export const judges: Readonly<Record<string, Judge>> = {
  'npm run demo': demo('tdns'),
  'npm run demo -- --window': async (machine, command) => {
    const demo = await machine.start(command);
    await opens((await machine.line(demo, /The page: (\S+)/))[1] ?? '');
    await machine.interrupt(demo);
  },
  'npm run demo -- --encdns': demo('encdns'),
  'npm start': async (machine, command) => {
    // It goes on, for the commands behind it.
    const service = await machine.start(command, 'apart');
    await machine.line(service, /Sotto listens on 127\.0\.0\.1:5300 and \[::1\]:5300/);
    await machine.line(service, /The page: /);
  },
  'npm test': async (machine, command) => {
    const tests = await machine.start(command);
    if (machine.isWhole) {
      await machine.line(tests, /^(\d+ passed, 0 failed, \d+ skipped)$/m);
      await machine.ends(tests);
    } else {
      await machine.line(tests, /▸ vitest/);
      await machine.line(tests, /✓ app\//);
      await machine.interrupt(tests);
    }
  },
  'dig @127.0.0.1 -p 5300 example.com': async (machine, command) => {
    const dig = await machine.start(command, 'apart');
    // Quad9 can not be reached from there, and under refuse nothing is sent elsewhere.
    await machine.line(dig, /status: SERVFAIL/);
    await machine.ends(dig);
  },
  'npx sotto log --follow': async (machine, command) => {
    const log = await machine.start(command, 'apart');
    await machine.line(log, /example\.com/);
    await machine.interrupt(log);
  },
  'npx sotto ui': async (machine, command) => {
    const page = await machine.start(command, 'apart');
    await machine.line(page, /The page: \S+/);
    await machine.interrupt(page);
  },
  'npm run package': async (machine, command) => {
    await machine.ends(await machine.start(command));
    const made = readdirSync(join(machine.clone, 'dist'));
    for (const name of [/^sotto_.*\.deb$/, /^sotto-server_.*\.deb$/, /\.AppImage$/])
      if (!made.some((file) => name.test(file)))
        throw new Error(`dist has no ${name}: ${made.join(', ')}`);
  },
};

/** `transport`: what the log shows of queries, behind the first page. The words of the command are above it. */
function demo(transport: string): Judge {
  return async (machine, command) => {
    const program = await machine.start(command);
    await machine.line(program, new RegExp(`── opens[\\s\\S]*\\b${transport}\\b`));
    await machine.line(program, /── opens[\s\S]*\bcached\b/);
    await machine.interrupt(program);
    if (!/(\d+) of \1 answered/.test(program.stdout))
      throw new Error(`not all was answered\n${program.transcript()}`);
  };
}

/** The file leads a browser to the page. */
async function opens(file: string): Promise<void> {
  const [url = ''] =
    /http:\/\/127\.0\.0\.1:\d+\//.exec(readFileSync(fileURLToPath(file), 'utf8')) ?? [];
  const { ok } = await fetch(url);
  if (!ok) throw new Error(`${url} does not open`);
}
