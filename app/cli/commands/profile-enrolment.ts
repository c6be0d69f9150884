/** `sotto profile enrol`, `update`, `status` and so on: the profile that this machine takes. */
import { existsSync } from 'node:fs';
import { type Command, Option } from 'commander';
import type { Params } from '../../contract/service-api.ts';
import { readEnrolLink } from '../../contract/settings/enrol-link.ts';
import { readFingerprint, sayFingerprint } from '../../contract/settings/fingerprint.ts';
import { type Grant, grants, mostHandedOver } from '../../contract/settings/profile-methods.ts';
import { safe } from '../../contract/text/visible-text.ts';
// biome-ignore-start lint/style/noRestrictedImports: a person confirms the key before the service hears of it.
import { fingerprintOf, readPublicKey } from '../../service/profiles/minisign.ts';
// biome-ignore-end lint/style/noRestrictedImports: a person confirms the key before the service hears of it.
import type { CommandLine, CommonOptions } from '../command-line.ts';
import { defineCall } from '../define-command.ts';
import { badUsage } from '../failure.ts';
import {
  isPartial,
  isUnsafe,
  sayAccepted,
  sayDelivery,
  sayLayer,
  sayProfile,
} from '../render/profile.ts';
import { readOctets } from './profile-files.ts';

interface RequireOptions extends CommonOptions {
  require?: boolean;
}

interface EnrolOptions extends RequireOptions {
  key?: string;
  fingerprint?: string;
  allow?: Grant[];
  ring?: string;
  address?: string;
}

const administrator = 'run the same with sudo';

const requireAll = ['--require', 'do nothing where not all of the version would hold'] as const;

export function defineEnrolment(command: Command, line: CommandLine): void {
  defineCall(command, line, {
    name: 'enrol',
    arguments: [
      [
        '<source>',
        'an address (https://…, file:///…) or a file; the signature is beside it, as SOURCE.minisig',
      ],
    ],
    options: [
      [
        '--key <file>',
        'the public key of the organisation, NAME.pub; at an address it may lie as SOURCE.pub',
      ],
      [
        '--fingerprint <digits>',
        'of that key, as the organisation told you in another way (needed)',
      ],
      new Option(
        '--allow <grants>',
        `what the organisation may loosen here, separated by commas: ${grants.join(', ')}`,
      ).argParser(readGrants),
      ['--ring <name>', 'of this machine, if the organisation rolls versions out by rings'],
      ['--address <ip>', 'of the host in the address, so that its name need not be looked up'],
      requireAll,
    ],
    description:
      'Let an organisation decide about settings of this machine, within what you allow.',
    examples: `  sotto profile enrol https://it.example.com/corp.json --fingerprint "a1b2 c3d4 …"
  sotto profile enrol https://it.example.com/corp.json --address 192.0.2.80 --ring canary --fingerprint …
  sotto profile enrol corp.json --key corp.pub --fingerprint "a1b2 c3d4 …"
  sotto profile enrol corp.json --key corp.pub --fingerprint … --allow bypass,log
  sotto profile enrol https://it.example.com/corp.json --fingerprint … --require`,
    more: `While upstreams, groups or bypass rules of the version wait, the system's DNS is not taken and no other upstreams are asked, because
internal names would go to them. The exit code is 1 then, where the system's DNS is taken already, or would be. With "--require" nothing is
done where anything would wait, or contradict other settings of this machine.

From an address, later versions come by themselves: Sotto looks about once an hour over HTTPS, and each minute into a file or a
folder ("file:///etc/sotto/profile.d/", with its slash). A profile from a plain file is brought by "sotto profile update FILE".
A link "sotto://enrol?…" only shows the command that it stands for.

Get the fingerprint from somewhere else than the file: by telephone, on paper, from a page that you trust. From then on only what
this key signed is taken. Without "--allow", a profile can choose authenticated upstreams and make things stricter; what it
would loosen waits, and "sotto profile approve" lets that one version do it:
  bypass       names that go elsewhere, unencrypted      downgrade    what happens without an encrypted connection
  rungs        how far down that may go                  consent      who may answer a consent request, pausing
  authorities  authorities, pins, raw keys, proxies      log          more in the query log
  probes       servers that are asked whether a network wants a login, and names that upstreams are compared by
  identities   client certificates and longer kept tickets, by which servers know this machine
  metrics      figures for others, without names          dnstap       queries, for a reader on this machine`,
    method: 'profile.enrol',
    asAdministrator: administrator,
    params: ([source]: [string], options: EnrolOptions) => enrolling(source, options),
    say: sayAccepted,
    failed: ({ profile }) => isUnsafe(profile),
  });

  defineCall(command, line, {
    name: 'update',
    arguments: [
      [
        '[file]',
        'a later version; its signature is beside it, as FILE.minisig. Without it, the service looks at the source now',
      ],
    ],
    options: [requireAll],
    description: 'Take a later version of the profile.',
    examples: `  sotto profile update
  sotto profile update corp.json
  sotto profile update corp.json --require`,
    more: 'The exit code is 1 where the system\'s DNS is taken, or would be, and not all that says where names go holds, as with "enrol".',
    method: 'profile.update',
    asAdministrator: administrator,
    params: ([file]: [string?], { require }: RequireOptions) => updating(file, require),
    say: sayAccepted,
    failed: ({ profile }) => isUnsafe(profile),
  });

  defineCall(command, line, {
    name: 'status',
    options: [['--require', 'end with 1 where there is none, or not all of it holds']],
    description: 'The profile of this machine: whose it is, which version, and what of it waits.',
    examples: `  sotto profile status
  sotto profile status --require               for scripts
  sotto profile status --json | jq '.profile.waiting'`,
    method: 'profile.show',
    say: ({ profile, delivery }) =>
      profile === null ? [] : [...sayProfile(profile), ...sayDelivery(delivery)],
    nothing: () => 'This machine takes no profile.',
    failed: ({ profile }, { require }: RequireOptions) =>
      require === true && (profile === null || isPartial(profile)),
  });

  defineCall(command, line, {
    name: 'effective',
    arguments: [['[key]', 'one setting; without it, all that some layer sets']],
    description: 'What each layer says of a setting, the strongest first, and which of them holds.',
    examples: `  sotto profile effective downgrade
  sotto profile effective --json | jq '.settings[] | select(.layers | length > 1)'`,
    more: 'Locks decide first, a policy before the profile; then your settings; then what they recommend; then the default.',
    method: 'profile.effective',
    params: ([key]: [string?]) => (key === undefined ? {} : { key }),
    say: ({ settings }, [key]) =>
      settings
        .filter(({ layers }) => key !== undefined || layers.length > 1)
        .flatMap(({ key: name, layers }) => [safe(name), ...layers.map(sayLayer)]),
    nothing: () => 'Every setting is as delivered.',
  });

  defineCall(command, line, {
    name: 'approve',
    arguments: [['<serial>', 'of the version, as "sotto profile status" shows it']],
    description: 'Let this one version loosen what waits.',
    examples: `  sotto profile status
  sotto profile approve 8`,
    method: 'profile.approve',
    asAdministrator: administrator,
    params: ([serial]: [string]) => ({ serial: readSerial(serial) }),
    say: sayAccepted,
    failed: ({ profile }) => isUnsafe(profile),
  });

  defineCall(command, line, {
    name: 'leave',
    description: 'Take no profile any more: what it said no longer holds.',
    examples: '  sotto profile leave',
    method: 'profile.leave',
    asAdministrator: administrator,
    say: ({ id }) => `This machine left "${safe(id)}".`,
  });
}

function enrolling(source: string, options: EnrolOptions): Params<'profile.enrol'> {
  if (source.startsWith('sotto:')) throw linkShown(source);
  const { allow = [], ring, address, require } = options;
  if (address !== undefined && !source.startsWith('https:'))
    throw badUsage('--address needs an https address', 'see: sotto profile enrol --help');
  const agreed = {
    grants: allow,
    ...(ring === undefined ? {} : { ring }),
    ...(require === undefined ? {} : { require }),
  };
  return isAddress(source)
    ? { source, ...confirmedBy(options), ...(address === undefined ? {} : { address }), ...agreed }
    : { key: neededKey(options), ...readSigned(source), ...agreed };
}

function updating(file: string | undefined, require?: boolean): Params<'profile.update'> {
  if (file !== undefined)
    return { ...readSigned(file), ...(require === undefined ? {} : { require }) };
  if (require === true)
    throw badUsage(
      '--require needs a file: what comes from the source is taken as far as it is allowed',
      'see what waits: sotto profile status --require',
    );
  return {};
}

function confirmedBy({ key, fingerprint }: EnrolOptions): { fingerprint: string; key?: string } {
  const typed = typedFingerprint(fingerprint);
  return key === undefined
    ? { fingerprint: typed }
    : { fingerprint: typed, key: confirmedKey(key, fingerprint) };
}

function neededKey({ key, fingerprint }: EnrolOptions): string {
  if (key === undefined) throw badUsage('--key is missing', 'give the organisation’s NAME.pub');
  return confirmedKey(key, fingerprint);
}

/** What has another scheme is neither an address from which we take anything, nor a file's name. */
function isAddress(source: string): boolean {
  if (/^(https|file):/.test(source)) return true;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(source))
    throw badUsage(`"${source}" is no source`, 'give an https:// or file:// address, or a file');
  return false;
}

function typedFingerprint(text: string | undefined): string {
  const read = text === undefined ? null : readFingerprint(text);
  if (read !== null) return read;
  throw badUsage(
    text === undefined ? '--fingerprint is missing' : `"${text}" is no fingerprint`,
    'give the 64 digits that the organisation told you in another way',
  );
}

/** A link comes from anybody, so it fills in a command that a person looks at, and never a fingerprint. */
function linkShown(link: string): Error {
  const asked = readEnrolLink(link);
  if (asked === null)
    return badUsage(
      'this link names no source, or a part of it is wrong',
      'it has to be sotto://enrol?source=https%3A%2F%2F…',
    );
  const { source, address, allow, ring } = asked;
  const more = Object.entries({ address, allow: allow?.join(','), ring }).flatMap(
    ([name, value]) => (value === undefined ? [] : [`--${name} ${quoted(value)}`]),
  );
  return badUsage(
    'a link only fills in the command, and does not enrol',
    [
      `look at it, and run: sotto profile enrol ${quoted(source)}`,
      ...more,
      '--fingerprint "…", with the fingerprint from elsewhere',
    ].join(' '),
  );
}

function quoted(text: string): string {
  const shown = safe(text);
  return /^[\w.,:/@%+-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", "'\\''")}'`;
}

function readSigned(file: string): { profile: string; signature: string } {
  return {
    profile: readProfileOctets(file),
    signature: readOctets(`${file}.minisig`).toString('latin1'),
  };
}

/** In base64. */
export function readProfileOctets(file: string): string {
  const octets = readOctets(file);
  if (octets.length > mostHandedOver)
    throw badUsage(
      `${file} has ${octets.length} octets, and a service takes ${mostHandedOver} at most`,
      'make the profile smaller',
    );
  return octets.toString('base64');
}

/** A person compared it with what they got in another way. */
function confirmedKey(file: string, fingerprint: string | undefined): string {
  const text = existsSync(file) ? readOctets(file).toString('latin1') : file;
  const key = readPublicKey(text);
  if (key === null) throw badUsage(`"${file}" is no public key`, 'give the file NAME.pub');
  const own = fingerprintOf(key);
  if (fingerprint === undefined)
    throw badUsage(
      `the fingerprint of this key is ${sayFingerprint(own)}`,
      'compare it with what the organisation told you in another way, then give that with --fingerprint',
    );
  if (readFingerprint(fingerprint) !== own)
    throw badUsage(
      'the key has another fingerprint than the one that you gave',
      'do not use this key; ask the organisation for both once more',
    );
  return text;
}

export function readGrants(text: string): Grant[] {
  return text.split(',').map((word) => {
    const grant = grants.find((one) => one === word.trim());
    if (grant === undefined)
      throw badUsage(
        `"${word}" is nothing that can be allowed`,
        `choose from ${grants.join(', ')}`,
      );
    return grant;
  });
}

function readSerial(text: string): number {
  if (!/^[1-9]\d{0,15}$/.test(text))
    throw badUsage(`"${text}" is no serial`, 'see: sotto profile status');
  return Number(text);
}
