/** The shells themselves complete: each gets the script, words, and a Tab. */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { succeed } from '../../contract/errors.ts';
import type { NetworkEntry } from '../../contract/system/network.ts';
import {
  finished,
  program as main,
  runCommand,
  startFakeService,
} from '../fixtures/fake-service.ts';
import { someUpstream } from '../fixtures/made-up.ts';

type Shell = 'bash' | 'zsh' | 'fish';

let folder: string;
let home: string;
let closeService: () => Promise<void>;

beforeAll(async () => {
  const service = await startFakeService({
    'upstream.list': () =>
      succeed({ upstreams: [someUpstream(), someUpstream({ id: 'home.lan_2' })] }),
    'network.list': () =>
      succeed({
        networks: [
          someNetwork('3f2a9c01b7de', 'home'),
          someNetwork('00112233aabb', null),
          someNetwork('445566ccddee', 'at "Ann\'s" $(id)'),
        ],
        unavailable: null,
      }),
  });
  home = service.home;
  closeService = service.close;
  folder = mkdtempSync(join(tmpdir(), 'sotto-completion-'));
  mkdirSync(join(folder, 'bin'));
  mkdirSync(join(folder, 'work', 'a folder'), { recursive: true });
  writeFileSync(join(folder, 'work', 'a file.json'), '');
  const program = join(folder, 'bin', 'sotto');
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`);
  chmodSync(program, 0o755);
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { out } = await runCommand(home, 'completion', shell);
    writeFileSync(join(folder, shell), out);
  }
});

function someNetwork(id: string, name: string | null): NetworkEntry {
  const hints = { interface: 'eth0', gateway: null, gatewayMac: null, prefix: null, domain: null };
  const [policy, authenticated, current] = [null, false, false];
  return { id, name, label: '', hints, policy, authenticated, firstSeen: 1, lastSeen: 1, current };
}

afterAll(async () => {
  await closeService();
  rmSync(folder, { recursive: true, force: true });
});

/** The shell's candidates for the last of these words. */
const offers: Record<Shell, (words: string[]) => Promise<string[]>> = {
  async bash(words) {
    const list = words.map((word) => `'${word}'`).join(' ');
    return lines(
      await run('bash', [
        '--norc',
        '-c',
        `source "$0"; COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _sotto; printf '%s\\n' "\${COMPREPLY[@]}"`,
        join(folder, 'bash'),
      ]),
    );
  },
  /** compadd and _files, which talk to the line editor, are replaced by functions that print; the rest is zsh's own. */
  async zsh(words) {
    const list = words.map((word) => `'${word}'`).join(' ');
    return lines(
      await run('zsh', [
        '-f',
        '-c',
        `compadd() { shift; print -rl -- "$@" }
         compset() { current=\${current#*=} }
         compdef() { }
         _files() { if [[ $1 == -/ ]]; then print -rl -- *(/N); else print -rl -- *(N); fi }
         _describe() { print -rl -- \${(P)\${@[-1]}%%:*} }
         source "$1"
         words=(${list}) CURRENT=${words.length}
         _sotto | grep -F -- "\${\${words[CURRENT]}#*=}" || true`,
        'zsh',
        join(folder, 'zsh'),
      ]),
    );
  },
  async fish(words) {
    const typed = words.map((word) => word.replaceAll(' ', '\\ ')).join(' ');
    const out = await run('fish', [
      '--no-config',
      '-c',
      `source ${join(folder, 'fish')}; complete -C '${typed}'`,
    ]);
    return lines(out).map((line) => line.split('\t')[0] ?? '');
  },
};

async function run(shell: Shell, args: string[]): Promise<string> {
  const child = spawn(shell, args, {
    cwd: join(folder, 'work'),
    env: {
      ...process.env,
      PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
      HOME: folder,
      SOTTO_HOME: home,
    },
  });
  const { out, errors } = await finished(child);
  expect(errors).toBe('');
  return out;
}

function lines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

const available = (shell: Shell) => spawnSync(shell, ['-c', 'true']).status === 0;

describe.each<Shell>(['bash', 'zsh', 'fish'])('%s', (shell) => {
  const complete = offers[shell];
  const completing = (title: string, body: () => Promise<void>) =>
    test(title, async ({ skip }) => {
      if (!available(shell)) skip(`no ${shell}: apt-get install ${shell}`);
      await body();
    });

  completing('completes commands, and those below them', async () => {
    expect(await complete(['sotto', 'up'])).toEqual(['upstream']);
    expect((await complete(['sotto', 'sta'])).sort()).toEqual(['stats', 'status']);
    expect(await complete(['sotto', 'cache', 'fl'])).toEqual(['flush']);
    expect(await complete(['sotto', 'help', 'doc'])).toEqual(['doctor']);
  });

  completing('completes options of the command that is typed', async () => {
    expect(await complete(['sotto', 'log', '--fol'])).toEqual(['--follow']);
    expect(await complete(['sotto', 'cache', 'flush', '--suf'])).toEqual(['--suffix']);
    expect(await complete(['sotto', 'status', '--fol'])).toEqual([]);
  });

  completing('completes the choices of an option and of an argument', async () => {
    expect(await complete(['sotto', 'log', '--outcome', 'ref'])).toEqual(['refused']);
    expect(await complete(['sotto', 'query', 'a.example', '--starttls', 'com'])).toEqual([
      'compat',
    ]);
    expect(await complete(['sotto', 'completion', 'fi'])).toEqual(['fish']);
  });

  completing('does not take an option’s value for a command', async () => {
    expect(await complete(['sotto', 'log', '--name', 'cache', '--outc'])).toEqual(['--outcome']);
    expect(await complete(['sotto', 'log', '--name', 'r'])).toEqual([]);
  });

  completing('asks the running service for the ids of its upstreams', async () => {
    expect((await complete(['sotto', 'upstream', 'test', ''])).sort()).toEqual([
      'home.lan_2',
      'quad9',
    ]);
  });

  completing('asks it for the networks it has met, by id and by name', async () => {
    const known = ['00112233aabb', '3f2a9c01b7de', '445566ccddee', 'home'];
    expect((await complete(['sotto', 'network', 'show', ''])).sort()).toEqual(known);
    expect(await complete(['sotto', 'network', 'set', '--network', 'ho'])).toEqual(['home']);
    expect(await complete(['sotto', 'network', 'forget', '00'])).toEqual(['00112233aabb']);
    expect(await complete(['sotto', 'network', 'set', '--policy', 'w'])).toEqual(['warn']);
    expect(await complete(['sotto', 'ledger', '--class', 'pol'])).toEqual(['policy']);
  });

  completing('completes files and folders, with blanks in their names', async () => {
    const plain = (paths: string[]) => paths.map((path) => path.replaceAll(/\\|\/$/g, '')).sort();
    expect(plain(await complete(['sotto', 'config', 'check', 'a']))).toEqual([
      'a file.json',
      'a folder',
    ]);
    expect(plain(await complete(['sotto', 'run', '--home', 'a']))).toEqual(['a folder']);
  });
});

test.for<[Shell, string[]]>([
  ['bash', ['sotto', 'log', '--outcome', '=', 'ref']],
  ['zsh', ['sotto', 'log', '--outcome=ref']],
  ['fish', ['sotto', 'log', '--outcome=ref']],
])('%s completes a value behind an equals sign', async ([shell, words], { skip }) => {
  if (!available(shell)) skip(`no ${shell}: apt-get install ${shell}`);
  const [found, ...others] = await offers[shell](words);
  expect([found?.replace('--outcome=', ''), others]).toEqual(['refused', []]);
});

/** Everything together: zsh with its own completion system, on a terminal, and a Tab key. */
test('an interactive zsh completes a line', async ({ skip }) => {
  if (!available('zsh')) skip('no zsh: apt-get install zsh');
  const out = await run('zsh', [
    '-f',
    '-c',
    `zmodload zsh/zpty
     zpty terminal zsh -f -i
     zpty -w terminal 'PS1="ready> "; autoload -Uz compinit; compinit -u -D; source "${join(folder, 'zsh')}"; sotto() { print "got: $*." }; print armed-$((40+2))'
     zpty -r terminal text '*armed-42*ready> *'
     zpty -w -n terminal $'sotto upstream te\\t--js\\t\\n'
     zpty -r terminal text '*got: *.*'
     print -r -- "$text"
     zpty -d terminal`,
  ]);
  expect(out).toContain('got: upstream test --json.');
});

test('the script is also to be had as JSON', async () => {
  const { out } = await runCommand(home, 'completion', 'bash', '--json');
  expect(JSON.parse(out)).toMatchObject({
    shell: 'bash',
    script: expect.stringContaining('complete -F _sotto sotto'),
  });
});
