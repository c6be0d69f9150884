/** `sotto profile enrol`, `update`, `status` and so on: the profile that this machine takes. */
import { existsSync, readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import type { Params, ResultOf } from '../../contract/service-api.ts';
import { readEnrolLink } from '../../contract/settings/enrol-link.ts';
import { readFingerprint, sayFingerprint } from '../../contract/settings/fingerprint.ts';
import {
  type EnrolledProfile,
  type Grant,
  grants,
  mostHandedOver,
  type StatedLayer,
  type WaitingSetting,
} from '../../contract/settings/profile-methods.ts';
import { safe } from '../../contract/text/visible-text.ts';
// biome-ignore-start lint/style/noRestrictedImports: a person confirms the key before the service hears of it.
import { sayErrno } from '../../service/base/errno-words.ts';
import { fingerprintOf, readPublicKey } from '../../service/profiles/minisign.ts';
// biome-ignore-end lint/style/noRestrictedImports: a person confirms the key before the service hears of it.
import type { CommandLine, CommonOptions } from '../command-line.ts';
import { defineCall } from '../define-command.ts';
import { badUsage } from '../failure.ts';
import { dayAndMinute } from '../terminal/clock.ts';

interface EnrolOptions extends CommonOptions {
  key?: string;
  fingerprint?: string;
  allow?: Grant[];
  ring?: string;
  address?: string;
}

const administrator = 'run the same with sudo';

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
    ],
    description:
      'Let an organisation decide about settings of this machine, within what you allow.',
    examples: `  sotto profile enrol https://it.example.com/corp.json --fingerprint "a1b2 c3d4 …"
  sotto profile enrol https://it.example.com/corp.json --address 192.0.2.80 --ring canary --fingerprint …
  sotto profile enrol corp.json --key corp.pub --fingerprint "a1b2 c3d4 …"
  sotto profile enrol corp.json --key corp.pub --fingerprint … --allow bypass,log`,
    more: `From an address, later versions come by themselves: Sotto looks about once an hour over HTTPS, and each minute into a file or a
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
  });

  defineCall(command, line, {
    name: 'update',
    arguments: [
      [
        '[file]',
        'a later version; its signature is beside it, as FILE.minisig. Without it, the service looks at the source now',
      ],
    ],
    description: 'Take a later version of the profile.',
    examples: `  sotto profile update
  sotto profile update corp.json`,
    method: 'profile.update',
    asAdministrator: administrator,
    params: ([file]: [string?]) => (file === undefined ? {} : readSigned(file)),
    say: sayAccepted,
  });

  defineCall(command, line, {
    name: 'status',
    description: 'The profile of this machine: whose it is, which version, and what of it waits.',
    examples: `  sotto profile status
  sotto profile status --json | jq '.profile.waiting'`,
    method: 'profile.show',
    say: ({ profile, delivery }) =>
      profile === null ? [] : [...sayProfile(profile), ...sayDelivery(delivery)],
    nothing: () => 'This machine takes no profile.',
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

function sayAccepted({ profile, problems }: ResultOf<'profile.update'>): string[] {
  return [...problems.map((one) => `! ${safe(one)}`), ...sayProfile(profile)];
}

function sayProfile(profile: EnrolledProfile): string[] {
  const { id, serial, issuer, name, fingerprint, notAfter, settings, waiting, kept } = profile;
  const { nextFingerprint, source, ring, standsIn } = profile;
  return [
    `"${safe(name)}" of ${safe(issuer)} (${safe(id)}, serial ${serial})`,
    `  key      ${sayFingerprint(fingerprint)}`,
    ...(nextFingerprint === null ? [] : [`  next key ${sayFingerprint(nextFingerprint)}`]),
    `  allowed  ${profile.grants.length === 0 ? 'to loosen nothing' : `to loosen ${profile.grants.join(', ')}`}`,
    ...(source === null ? [] : [`  source   ${safe(source)}`]),
    ...(ring === null ? [] : [`  ring     ${safe(ring)}`]),
    ...(notAfter === null ? [] : [`  valid    until ${dayAndMinute(notAfter)}`]),
    ...profile.networks.map(sayNetwork),
    ...(standsIn === null
      ? []
      : [
          `  here     serial ${standsIn} stands in: the upstreams of this version do not authenticate`,
        ]),
    `  settings ${settings.length === 0 ? 'none' : settings.map(safe).join(', ')}`,
    ...(kept.length === 0
      ? []
      : [`  kept     ${kept.map(safe).join(', ')}: not readable now, so the version before holds`]),
    ...waiting.map((one) => `  waits    ${sayWaiting(one, serial)}`),
  ];
}

function sayNetwork({ match, fits, settings }: EnrolledProfile['networks'][number]): string {
  const here = { no: '', unconfirmed: ' (this one, as it seems)', yes: ' (this one)' }[fits];
  return `  network  ${safe(match)}${here}: ${settings.map(safe).join(', ')}`;
}

function sayWaiting(
  { key, grant, network, wanted, holds }: WaitingSetting,
  serial: number,
): string {
  const wish = wanted === null ? 'nothing any more' : shortly(wanted.value);
  const why =
    grant === null
      ? network === undefined
        ? 'no profile may do this, a policy of this machine can'
        : 'no profile may do this for one network'
      : `it would loosen protection ("${grant}"); sotto profile approve ${serial}`;
  const what = `${key}${network === undefined ? '' : ` on the network "${network}"`}`;
  return `${safe(what)}: it wants ${wish}, and ${shortly(holds)} holds: ${why}`;
}

const longestValue = 80;

/** A list may have thousands of names. */
function shortly(value: unknown): string {
  const text = safe(JSON.stringify(value));
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
}

function sayDelivery(delivery: ResultOf<'profile.show'>['delivery']): string[] {
  if (delivery === null) return [];
  const { lookedAt, problem } = delivery;
  const looked = lookedAt === null ? 'not yet since the start' : dayAndMinute(lookedAt);
  return [`  looked   ${looked}${problem === null ? '' : `: ${safe(problem)}`}`];
}

function sayLayer(stated: StatedLayer): string {
  const { layer, name, file, value, lock, reason, until, inForce } = stated;
  const who = [layer, name === null ? '' : `"${name}"`, file ?? ''].filter(Boolean).join(' ');
  const how = lock === null || lock === 'default' ? '' : `, ${lock}`;
  const why = reason === null ? '' : `: ${reason}`;
  const end = until === null ? '' : ` (until ${dayAndMinute(until)})`;
  return `  ${inForce ? '→' : ' '} ${safe(`${who}${how}${why}`)}${end}  ${safe(JSON.stringify(value))}`;
}

function enrolling(source: string, options: EnrolOptions): Params<'profile.enrol'> {
  if (source.startsWith('sotto:')) throw linkShown(source);
  const { allow = [], ring, address } = options;
  if (address !== undefined && !source.startsWith('https:'))
    throw badUsage('--address needs an https address', 'see: sotto profile enrol --help');
  const agreed = { grants: allow, ...(ring === undefined ? {} : { ring }) };
  return isAddress(source)
    ? { source, ...confirmedBy(options), ...(address === undefined ? {} : { address }), ...agreed }
    : { key: neededKey(options), ...readSigned(source), ...agreed };
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

function readOctets(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw badUsage(`${file}: ${sayErrno(error)}`, 'check its name and who may read it');
  }
}
