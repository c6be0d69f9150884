/** What a profile of an organisation says of itself, and the JSON Schema of the whole file. */
import { z } from 'zod';
import { networkMatch } from './network-match.ts';
import { type SettingKey, settingDeclarations, settingKeys } from './settings.ts';

/** One line, and nothing that could hide in it: people read it beside a fingerprint. */
const line = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[^\p{C}\p{Zl}\p{Zp}]*$/u, 'it has characters that nobody sees; write one visible line')
  .refine((text) => text === text.trim(), 'it begins or ends with a space');

const time = z.iso.datetime({ offset: true });

/** After it, an entry says nothing any more. */
export const entryEnd = time;

/** A machine may be in one, which its enrolment says. */
export const ring = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'a ring has letters a to z, digits and hyphens')
  .meta({ examples: ['canary'] });

export const rollout = z
  .strictObject({
    ring: ring.optional().meta({
      description: 'only machines that were enrolled with this ring take the version',
    }),
    percent: z.number().min(0).max(100).optional().meta({
      description:
        'of these, about so many of a hundred. A machine has the same place in every version, so a larger number adds machines and takes none away',
    }),
  })
  .meta({ description: 'which machines take this version; the others keep the one before' });
export type Rollout = z.infer<typeof rollout>;

/** Each is compared with the present network, whenever that is another. */
const mostNetworks = 64;

export const profileFacts = z.strictObject({
  $schema: z.string().optional(),
  id: z
    .string()
    .regex(
      /^[a-z0-9](?:[a-z0-9.-]{0,62}[a-z0-9])?$/,
      'an id has letters a to z, digits, dots and hyphens, such as "example-corp"',
    )
    .meta({
      description: 'the same for every version of this profile',
      examples: ['example-corp'],
    }),
  serial: z.int().min(1).meta({
    description: 'larger with every version; a machine never goes back to a smaller one',
  }),
  issuer: line.meta({ description: 'the organisation, as people know it' }),
  name: line.meta({ description: 'what this profile is called' }),
  notBefore: time.optional().meta({ description: 'it is not applied before this time (RFC 3339)' }),
  notAfter: time.optional().meta({
    description: 'after this time a health issue asks for a new one; this one still holds',
  }),
  strict: z.boolean().optional().meta({
    description:
      'true: an error in one key refuses the whole profile. Otherwise the other keys hold',
  }),
  rollout: rollout.optional(),
  nextKey: z
    .string()
    .regex(/^[A-Za-z0-9+/]{56}$/, 'a public key of minisign is the second line of NAME.pub')
    .optional()
    .meta({
      description:
        'the public key that signs the next versions, as the second line of NAME.pub; the first version signed by it ends this one',
    }),
  settings: z.record(z.string(), z.unknown()),
  networks: z.array(z.unknown()).max(mostNetworks).optional().meta({
    description:
      'what holds otherwise on some networks; of two that fit and say something of a setting, the first counts',
  }),
});

export type ProfileFacts = z.infer<typeof profileFacts>;

export const locks = ['locked', 'default', 'hidden'] as const;

/** What a policy says of itself. */
export const policyFacts = z.strictObject({
  $schema: z.string().optional(),
  name: z.string().min(1).meta({ description: 'of whom it is, as people read it beside a lock' }),
  settings: z.record(z.string(), z.unknown()),
});

/** Of the file, for editors: each setting with the schema of its value. docs/schema has it, and the package. */
export function profileJsonSchema(): object {
  const settings = allEntries();
  const { description } = profileFacts.shape.networks.meta() ?? {};
  const networks = z
    .array(z.strictObject({ match: networkMatch, settings }))
    .max(mostNetworks)
    .optional()
    .meta({ description });
  return z.toJSONSchema(profileFacts.extend({ settings, networks }), { io: 'input' });
}

/** The same of a policy, /etc/sotto/policy.d/*.json. */
export function policyJsonSchema(): object {
  return z.toJSONSchema(policyFacts.extend({ settings: allEntries() }), { io: 'input' });
}

function allEntries() {
  return z.strictObject(Object.fromEntries(settingKeys.map((key) => [key, entryOf(key)])));
}

function entryOf(key: SettingKey): z.ZodType {
  const { schema, label, help } = settingDeclarations[key];
  return z
    .strictObject({
      value: schema,
      lock: z
        .union([z.boolean(), z.enum(locks)])
        .optional()
        .meta({
          description:
            'locked: nobody here changes it. hidden: nor does the window draw a control. default: a recommendation',
        }),
      reason: z.string().optional().meta({ description: 'shown beside the locked setting' }),
      until: entryEnd.optional().meta({
        description: 'from this time on the entry says nothing any more (RFC 3339)',
      }),
    })
    .optional()
    .meta({ title: label, description: help });
}
