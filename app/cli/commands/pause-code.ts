import type { Command } from 'commander';
import type { CommandLine, CommonOptions } from '../command-line.ts';
import { defineCommand, teach } from '../define-command.ts';
import type { AnswerOptions, KeyOptions } from './pause-code-work.ts';

export function define(command: Command, line: CommandLine): void {
  const work = () => import('./pause-code-work.ts');

  defineCommand(command, {
    name: 'keygen',
    arguments: [['<file>', 'for the secret, which stays with the help desk']],
    home: false,
    description: 'Make the one secret of a help desk.',
    examples: '  sotto pause-code keygen help-desk.secret',
    more: 'Whoever has it can let every machine pause whose key was made from it. It belongs on no such machine.',
    run: async ([file]: [string], options: CommonOptions) =>
      (await work()).keygen(line, file, options),
  });

  defineCommand(command, {
    name: 'key',
    arguments: [['<file>', "for the machine's key, which is not written over"]],
    options: [
      ['--secret <file>', 'of the help desk (needed)'],
      ['--machine <id>', 'eight letters and digits; without it, by chance'],
    ],
    home: false,
    description: "Make a machine's own key from the secret of the help desk.",
    examples: `  sotto pause-code key laptop-17.key --secret help-desk.secret
  scp laptop-17.key root@laptop-17:
  sudo install -m 0600 -o sotto laptop-17.key /etc/sotto/pause.key     on the machine`,
    more: `Each machine needs a key of its own, so that a stolen one opens no other machine. The key stands in /etc/sotto/pause.key, owned
by the account of the service and closed to everybody else; it is read at each use. Then set "pause" to "code" in a policy or a
profile, and lock it.`,
    run: async ([file]: [string], options: KeyOptions) => (await work()).key(line, file, options),
  });

  defineCommand(command, {
    name: 'answer',
    arguments: [['<challenge>', 'as the person read it to you; spaces and hyphens do not matter']],
    options: [['--key <file>', 'the secret of the help desk (needed)']],
    home: false,
    description: 'The code that lets a machine pause once. It needs no service.',
    examples: `  sotto pause-code answer K7QM-2XVD-4F9T-2QKM-00YM --key help-desk.secret
  sotto pause-code answer K7QM2XVD4F9T2QKM00YM --key help-desk.secret --json | jq -r .code`,
    more: 'It says first which machine wants to pause, and for how long: answer only if that is what you mean to allow.',
    run: async ([challenge]: [string], options: AnswerOptions) =>
      (await work()).answer(line, challenge, options),
  });

  teach(
    command,
    `  sotto pause-code keygen help-desk.secret                       once, at the help desk
  sotto pause-code key laptop-17.key --secret help-desk.secret   for each machine
  sotto pause 30m                                                on the machine: shows a challenge
  sotto pause-code answer CHALLENGE --key help-desk.secret       at the help desk: gives the code
  sotto pause --code CODE                                        on the machine: pauses for 30 minutes`,
    'A code is good for one machine, one challenge and its minutes, once. Challenges end after 15 minutes or five wrong codes, and after each wrong code the next has to wait longer, up to an hour. The audit log has all of it.',
  );
}
