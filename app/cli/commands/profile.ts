import { Argument, type Command } from 'commander';
import type { CommandLine, CommonOptions } from '../command-line.ts';
import { defineCommand, teach } from '../define-command.ts';
import { defineEnrolment } from './profile-enrolment.ts';
import { defineFormats } from './profile-formats.ts';
import { defineSimulation } from './profile-simulation.ts';
import type { KeyOptions, SignOptions, VerifyOptions } from './profile-work.ts';

const aboutKeys = `Keys and signatures are minisign's: what one of the two programs makes, the other reads. Keep the secret key away
from the machines that read the profile and from the server that hands it out; who has it decides about DNS on every
enrolled machine, within what each was told to allow.`;

export function define(command: Command, line: CommandLine): void {
  const work = () => import('./profile-work.ts');
  const review = () => import('./profile-review.ts');

  defineCommand(command, {
    name: 'lint',
    arguments: [['<file>', 'a profile']],
    home: false,
    description:
      'Name every error of a profile with line, field and remedy, what is doubtful in it, what it loosens, and which grants it needs.',
    examples: `  sotto profile lint corp.json
  sotto profile lint corp.json --json | jq -r '.problems[] | "\\(.line) \\(.path)"'`,
    more: `A profile is JSON: "id", "serial", "issuer", "name", "settings", and if wanted "notBefore", "notAfter" and "strict". Each
setting has a "value", a "lock" ("locked", "hidden" or "default") and a "reason", which people read beside it.
"sotto profile schema" prints the whole form for an editor.

Doubtful is what makes a version useless or dangerous although nothing in it is wrong: an end in the past, a share of 0 %, a "pause" that
needs a code while nothing locks "systemDns.take", an entry that others need and that ends before them, or one that only a policy of the
machine can have. The exit code is 2 where
there is an error, and 1 where something is doubtful. A grant is what "sotto profile enrol --allow" names.`,
    run: async ([file]: [string], options: CommonOptions) =>
      (await review()).lint(line, file, options),
  });

  defineCommand(command, {
    name: 'diff',
    arguments: [
      ['<old>', 'a profile'],
      ['<new>', 'a later one'],
    ],
    home: false,
    description:
      'What a later profile says otherwise, in every field, and which of that takes protection away.',
    examples: `  sotto profile diff corp-7.json corp-8.json
  sotto profile diff old.json new.json --json | jq '.changes[] | select(.loosens)'
  sotto profile diff old.json new.json --json | jq -e '[.facts[].field] | index("nextKey") | not'`,
    more: `Marked with "!" is what takes protection away, another "id", and a "nextKey" that comes, changes or goes: whoever has that key signs
what every machine takes. Below stands which grants a machine needs that has the earlier version.`,
    run: async ([before, after]: [string, string], options: CommonOptions) =>
      (await review()).diff(line, before, after, options),
  });

  defineCommand(command, {
    name: 'keygen',
    arguments: [['<name>', 'of the files: NAME.key, which stays secret, and NAME.pub']],
    options: [
      ['--password-file <file>', 'its first line is the password; otherwise you are asked'],
      ['--no-password', 'keep the secret key unencrypted'],
    ],
    home: false,
    description: 'Make the key with which an organisation signs its profiles.',
    examples: `  sotto profile keygen corp
  sotto profile keygen corp --no-password     for a machine that signs by itself`,
    more: aboutKeys,
    run: async ([name]: [string], options: KeyOptions) =>
      (await work()).keygen(line, name, options),
  });

  defineCommand(command, {
    name: 'sign',
    arguments: [['<file>', 'a profile without errors']],
    options: [
      ['--key <file>', 'the secret key (needed)'],
      ['--password-file <file>', 'its first line is the password; otherwise you are asked'],
    ],
    home: false,
    description: 'Sign a profile: writes FILE.minisig beside it.',
    examples: `  sotto profile sign corp.json --key corp.key
  minisign -V -p corp.pub -m corp.json      the same, checked by another program`,
    more: aboutKeys,
    run: async ([file]: [string], options: SignOptions) => (await work()).sign(line, file, options),
  });

  defineCommand(command, {
    name: 'verify',
    arguments: [['<file>', 'a profile; its signature is beside it, as FILE.minisig']],
    options: [['--key <key>', 'the public key: its file, or its line (needed)']],
    home: false,
    description: 'Check the signature of a profile, and say whose key it is.',
    examples: `  sotto profile verify corp.json --key corp.pub
  sotto profile verify corp.json --key RWQf6LRC…`,
    run: async ([file]: [string], options: VerifyOptions) =>
      (await work()).verify(line, file, options),
  });

  defineCommand(command, {
    name: 'schema',
    arguments: [
      new Argument('[kind]', 'of the file').choices(['profile', 'policy']).default('profile'),
    ],
    json: false,
    home: false,
    description:
      'Print the JSON Schema of a profile or a policy, which lets an editor complete it.',
    examples: `  sotto profile schema > profile.schema.json
  then put "$schema": "./profile.schema.json" into the profile
  sotto profile schema policy`,
    more: `Debian's package has both in /usr/share/sotto/schema, as sotto-profile.schema.json and sotto-policy.schema.json.`,
    run: async ([kind]: [string]) => (await work()).schema(line, kind),
  });

  defineEnrolment(command, line);
  defineSimulation(command, line);
  defineFormats(command, line);

  teach(
    command,
    `  sotto profile keygen corp                      once
  sotto profile lint corp.json                   before each version
  sotto profile sign corp.json --key corp.key    makes corp.json.minisig
  sotto profile verify corp.json --key corp.pub  what a machine would do
  sotto profile enrol corp.json --key corp.pub   what this machine takes from now on
  sotto profile simulate corp.json               what it would change for queries that were asked here
  sotto profile effective downgrade              who says what about a setting`,
    'A profile is one signed file with what an organisation wants of the DNS of its machines.',
  );
}
