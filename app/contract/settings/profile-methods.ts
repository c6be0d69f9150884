/** The profile of an organisation on this machine: enrolled with its key and what it may loosen, then updated by signed versions. */
import { z } from 'zod';
import { isResolverAddress } from '../dns/resolver-address.ts';
import { isIPv4, isIPv6, isZonedIPv6 } from '../dns/socket-address.ts';
import { failure } from '../failure.ts';
import { method } from '../method.ts';
import { readUrl } from '../text/read-url.ts';
import { ring, rollout } from './profile.ts';
import { givenQuery, mostGiven, mostLogged, simulation } from './simulation.ts';

const unixMilliseconds = z.number();

/** What an issuer may loosen here, each only where the machine's administrator allowed it. */
export const grants = [
  'downgrade',
  'rungs',
  'consent',
  'bypass',
  'authorities',
  'identities',
  'log',
  'probes',
  'metrics',
  'dnstap',
] as const;
export type Grant = (typeof grants)[number];

const key = z.string().max(64);

const lock = z.enum(['locked', 'hidden', 'default']);

const waitingSetting = z.strictObject({
  key,
  /** the grant that is missing; null: no profile may do this, a policy of the machine can */
  grant: z.enum(grants).nullable(),
  /** the one on which it would hold, in words; absent: all */
  network: z.string().optional(),
  /** the setting that has to hold first, as this one would be dangerous without it */
  behind: z.string().optional(),
  /** null: this version says nothing any more of what the one before made strict */
  wanted: z
    .strictObject({
      value: z.json(),
      lock,
      reason: z.string().nullable(),
      until: unixMilliseconds.nullable(),
    })
    .nullable(),
  /** the value in force meanwhile */
  holds: z.json(),
});
export type WaitingSetting = z.infer<typeof waitingSetting>;

export const enrolledProfile = z.strictObject({
  id: z.string(),
  serial: z.int(),
  issuer: z.string(),
  name: z.string(),
  notBefore: unixMilliseconds.nullable(),
  notAfter: unixMilliseconds.nullable(),
  /** SHA-256 of the pinned key, in hexadecimal digits */
  fingerprint: z.string(),
  /** of the key that signs the next versions; null: the same one */
  nextFingerprint: z.string().nullable(),
  /** where later versions come from; null: somebody brings them */
  source: z.string().nullable(),
  /** of this machine */
  ring: z.string().nullable(),
  /** which machines take this version */
  rollout,
  grants: z.array(z.enum(grants)),
  enrolledAt: unixMilliseconds,
  acceptedAt: unixMilliseconds,
  /** settings about which it says something that holds, unless a stronger layer says otherwise */
  settings: z.array(key),
  /** settings that it would loosen, and may not */
  waiting: z.array(waitingSetting),
  /** settings that it could not be read about: what it said before holds */
  kept: z.array(key),
  /** settings about which it contradicts others of this machine: something else holds in their place */
  gaveWay: z.array(key),
  /** while something that says where names go waits: whether the system's DNS is taken all the same, or waits to be */
  takeWithoutRoutes: z.enum(['no', 'waits', 'holds']),
  /** what holds otherwise on some networks */
  networks: z.array(
    z.strictObject({
      /** in words */
      match: z.string(),
      /** whether the machine is there; unconfirmed: what would take protection away waits until an upstream has authenticated */
      fits: z.enum(['no', 'unconfirmed', 'yes']),
      settings: z.array(key),
    }),
  ),
  /** serial of the version before, whose upstreams stand in on this network because those of this one fail; null: none does */
  standsIn: z.int().nullable(),
});
export type EnrolledProfile = z.infer<typeof enrolledProfile>;

export const deliveryStatus = z.strictObject({
  /** null: not yet since the service started */
  lookedAt: unixMilliseconds.nullable(),
  succeededAt: unixMilliseconds.nullable(),
  /** of the last time; null: there was none */
  problem: z.string().nullable(),
  /** something came, and was not taken */
  isRefused: z.boolean(),
  /** why a version that lies there is not for this machine, or not yet; null: there is none */
  notYet: z.string().nullable(),
});
export type DeliveryStatus = z.infer<typeof deliveryStatus>;

/** Where versions come from: a page by HTTPS, a file, or a folder, whose address ends with a slash. */
export const profileSource = z.string().max(2048).refine(isSource, {
  error:
    'a source is an address such as "https://it.example.com/corp.json", "file:///srv/corp.json" or "file:///etc/sotto/profile.d/"',
});

function isSource(text: string): boolean {
  const url = readUrl(text);
  if (url === null || url.username !== '' || url.password !== '' || url.hash !== '') return false;
  return url.protocol === 'https:'
    ? !url.pathname.endsWith('/')
    : url.protocol === 'file:' && url.hostname === '' && url.search === '';
}

/** Of a source's host, so that its name is not looked up. */
export const sourceAddress = z.string().refine(isSourceAddress, {
  error: 'an address is written like "192.0.2.7", "2001:db8::7" or "fe80::7%eth0"',
});

function isSourceAddress(text: string): boolean {
  return (isIPv4(text) || isIPv6(text) || isZonedIPv6(text)) && isResolverAddress(text);
}

/** What one request on the control socket has room for, in base64. */
export const mostHandedOver = 700_000;

const octets = z.base64().max(Math.ceil(mostHandedOver / 3) * 4);

const signed = {
  profile: octets,
  signature: z.string().max(4096),
};

/** as minisign writes it */
const publicKey = z.string().max(4096);

/** SHA-256 of the key in hexadecimal digits, which a person got in another way */
const fingerprint = z.string().regex(/^[0-9a-f]{64}$/);

const agreed = {
  grants: z.array(z.enum(grants)).max(grants.length),
  ring: ring.optional(),
};

/** true: where not all of the version would hold, nothing is done */
const required = { require: z.boolean().optional() };

const changed = z.strictObject({
  profile: enrolledProfile,
  /** errors of single keys, with line and field */
  problems: z.array(z.string()),
  /** why a later version, which lies at the source, was not taken; absent: there is none */
  notYet: z.string().optional(),
});

const statedLayer = z.strictObject({
  layer: z.enum(['policy', 'profile', 'user', 'default']),
  /** of the policy or the profile */
  name: z.string().nullable(),
  file: z.string().nullable(),
  value: z.json(),
  lock: lock.nullable(),
  reason: z.string().nullable(),
  /** from which on it says nothing any more; null: it holds on */
  until: unixMilliseconds.nullable(),
  inForce: z.boolean(),
});

export const profileMethods = {
  'profile.show': method('control', {
    params: z.strictObject({}),
    /** null: none is enrolled */
    result: z.strictObject({
      profile: enrolledProfile.nullable(),
      /** null: somebody brings the versions */
      delivery: deliveryStatus.nullable(),
    }),
  }),
  /** With the octets of a version; or from where later versions come as well: then the service looks there by itself. */
  'profile.enrol': method('administer', {
    params: z.union([
      /** Without a fingerprint, whoever calls has compared the key's own. */
      z.strictObject({
        ...signed,
        key: publicKey,
        fingerprint: fingerprint.optional(),
        ...agreed,
        ...required,
      }),
      z.strictObject({
        source: profileSource,
        /** of the source's host, so that its name is not looked up */
        address: sourceAddress.optional(),
        /** absent: it lies beside the profile, as SOURCE.pub */
        key: publicKey.optional(),
        fingerprint,
        ...agreed,
        ...required,
      }),
    ]),
    result: changed,
  }),
  /** Without a version: looks at the source now. */
  'profile.update': method('administer', {
    params: z.union([z.strictObject({ ...signed, ...required }), z.strictObject({})]),
    result: changed,
  }),
  /** What waits in this version holds from now on. */
  'profile.approve': method('administer', {
    params: z.strictObject({ serial: z.int() }),
    result: changed,
  }),
  'profile.leave': method('administer', {
    params: z.strictObject({}),
    result: z.strictObject({ id: z.string() }),
  }),
  /**
   * What a version would change for queries of this machine; nothing comes into force. Queries of the log need the role
   * administer, as the log itself does: counts alone would tell who asked for a name that the caller put into the profile.
   */
  'profile.simulate': method('control', {
    params: z.strictObject({
      /** octets of a version, signed or not; absent: the one that this machine has, as if what waits were approved */
      profile: octets.optional(),
      /** as if what waits in it were approved */
      approved: z.boolean().optional(),
      /** as if they were given at the enrolment; of the profile in which the machine is enrolled, those of its enrolment hold */
      grants: agreed.grants.optional(),
      /** absent: the last ones of the query log */
      queries: z.array(givenQuery).max(mostGiven).optional(),
      /** how many of the log */
      last: z.int().positive().max(mostLogged).optional(),
    }),
    result: z.strictObject({
      profile: z.strictObject({
        id: z.string(),
        serial: z.int(),
        issuer: z.string(),
        name: z.string(),
      }),
      /** why this machine would not take it now as it is; null: nothing is against it but its signature, which is not judged */
      refusal: failure.nullable(),
      /** errors of single keys, with line and field */
      problems: z.array(z.string()),
      /** what would wait, and does not hold in the simulation */
      waiting: z.array(
        waitingSetting.pick({ key: true, grant: true, network: true, behind: true }),
      ),
      kept: z.array(key),
      simulation,
    }),
  }),
  /** What each layer says of a setting, the strongest first; without a key, of every setting. */
  'profile.effective': method('control', {
    params: z.strictObject({ key: key.optional() }),
    result: z.strictObject({
      settings: z.array(
        z.strictObject({
          key,
          layers: z.array(statedLayer),
          /** what would hold if the layer in force said nothing */
          without: z.json(),
        }),
      ),
    }),
  }),
};
export type StatedLayer = z.infer<typeof statedLayer>;
