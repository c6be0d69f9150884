/** `sotto profile export` and `import`: the files of other programs. */
import { Argument, type Command, Option } from 'commander';
import type { CommandLine } from '../command-line.ts';
import { defineCommand } from '../define-command.ts';
import type { ExportOptions, ImportOptions } from './profile-format-work.ts';

const exportFormats = [
  'mobileconfig',
  'systemd-resolved',
  'networkmanager',
  'stubby',
  'dnscrypt-proxy',
  'unbound',
];
const importFormats = ['stubby', 'dnscrypt-proxy', 'unbound', 'adguard-home', 'systemd-resolved'];

export function defineFormats(command: Command, line: CommandLine): void {
  const work = () => import('./profile-format-work.ts');

  defineCommand(command, {
    name: 'export',
    arguments: [
      new Argument('<format>', 'of the other program').choices(exportFormats),
      ['[file]', 'a profile; without it, what holds on this machine'],
    ],
    options: [
      ['--output <file>', 'where to write it (default: standard output)'],
      [
        '--allow <words>',
        'what the other program may protect less, separated by commas: opportunistic, pins, groups',
      ],
      ['--doh <url>', 'by which an upstream of the profile is reached by HTTPS'],
      [
        '--certificate <file>',
        'mobileconfig only: sign it with this PEM certificate and its chain',
      ],
      new Option('--signing-key <file>', 'the RSA key of that certificate, PEM'),
    ],
    json: false,
    description: 'Write a profile as the file of another program, for a machine without Sotto.',
    examples: `  sotto profile export mobileconfig corp.json --output corp.mobileconfig
  sotto profile export mobileconfig corp.json --certificate it.pem --signing-key it.key --output corp.mobileconfig
  sotto profile export systemd-resolved corp.json > sotto.conf
  sotto profile export dnscrypt-proxy corp.json --doh https://dns.example.net/dns-query
  sotto profile export unbound                     what holds on this machine`,
    more: `What the other program has no word for is told on standard error, one line each, and stands as a comment in the file.
Where it would protect less than the profile, nothing is written, unless "--allow" names that:
  opportunistic  under "downgrade": "fallback" it may go on unencrypted, as the profile lets Sotto do
  pins           it compares no keys or certificates, so any authority of the system can vouch for an upstream
  groups         names of a group go to the other upstreams
sotto-profile-formats(7) says what each program can express.`,
    run: async ([format, file]: [string, string?], options: ExportOptions) =>
      (await work()).exportTo(line, format, file, options),
  });

  defineCommand(command, {
    name: 'import',
    arguments: [
      new Argument('<format>', 'of the other program').choices(importFormats),
      ['<file>', 'its configuration'],
    ],
    options: [
      ['--output <file>', 'where to write it (default: standard output)'],
      ['--settings', 'write settings for settings.json, not a profile'],
      ['--allow <words>', 'what to take that protects less: cleartext'],
    ],
    json: false,
    home: false,
    description: 'Read the configuration of another program as a profile, which is not signed yet.',
    examples: `  sotto profile import stubby /etc/stubby/stubby.yml > corp.json
  sotto profile import unbound forward.conf --settings
  sotto profile import adguard-home AdGuardHome.yaml --output corp.json`,
    more: `Upstreams, names that go elsewhere and the choice among upstreams are taken. Everything else is told on standard error with
its line. Transports that Sotto does not speak, such as DNSCrypt, DNS over HTTPS and DNS over QUIC, are refused by their
names. Upstreams without encryption are left out, unless "--allow cleartext" is given.`,
    run: async ([format, file]: [string, string], options: ImportOptions) =>
      (await work()).importFrom(line, format, file, options),
  });
}
