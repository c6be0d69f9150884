/** Networks that this machine has met, and what is remembered of each. */
import { z } from 'zod';
import { downgradePolicy } from '../settings/downgrade-policy.ts';

const unixMilliseconds = z.number();

/** What distinguishes networks. All of it can be forged, so it is a hint and no proof. */
export const networkHints = z.strictObject({
  interface: z.string().nullable(),
  gateway: z.string().nullable(),
  /** "02:00:5e:10:00:00" */
  gatewayMac: z.string().nullable(),
  /** "192.0.2.0/24" */
  prefix: z.string().nullable(),
  /** the first search domain the network gave */
  domain: z.string().nullable(),
});

export const networkName = z
  .string()
  .trim()
  .min(1, { error: 'a network can\'t have an empty name; "--clear" takes a name away' })
  .max(64, { error: "is longer than a network's name may be: 64 characters" })
  .regex(/^[^\p{C}\p{Zl}\p{Zp}]*$/u, { error: "holds characters that can't be seen" });

export const networkEntry = z.strictObject({
  id: z.string(),
  /** given by the person */
  name: z.string().nullable(),
  /** "192.0.2.0/24 via 192.0.2.1 on wlan0" */
  label: z.string(),
  hints: networkHints,
  /** null: the settings decide */
  policy: downgradePolicy.nullable(),
  /** one of our upstreams has proved its identity here, now or on an earlier visit */
  authenticated: z.boolean(),
  firstSeen: unixMilliseconds,
  lastSeen: unixMilliseconds,
  /** the machine is on this network */
  current: z.boolean(),
});

/** A link, as the kernel and the program that configures it describe it. */
export const networkLink = z.strictObject({
  name: z.string(),
  kind: z.string(),
  up: z.boolean(),
  running: z.boolean(),
  /** "192.0.2.7/24" */
  addresses: z.array(z.string()),
  /** "ip:port" each */
  resolvers: z.array(z.string()),
  domains: z.array(z.string()),
});

export const networkDetails = z.strictObject({
  network: networkEntry,
  /** links of the present network; of other networks nothing is known */
  links: z.array(networkLink),
  /** an upstream has proved its identity, or the person has confirmed the network, since we came here */
  confirmed: z.boolean(),
});

/** An id, or the name a person gave. */
const networkReference = z.string().min(1).max(64);

/** The parameters and results of the methods `network.*`. */
export const networkMethods = {
  list: {
    params: z.strictObject({}),
    /** the last seen first */
    result: z.strictObject({
      networks: z.array(networkEntry),
      /** why this system's network can't be watched; null where it is */
      unavailable: z.string().nullable(),
    }),
  },
  /** Without `network`, the present one. */
  show: {
    params: z.strictObject({ network: networkReference.optional() }),
    result: networkDetails,
  },
  /** Keys that are left out stay as they are; null removes a value. To set a policy for the present network confirms it, too. */
  set: {
    params: z.strictObject({
      network: networkReference.optional(),
      name: networkName.nullable().optional(),
      policy: downgradePolicy.nullable().optional(),
    }),
    result: networkEntry,
  },
  forget: {
    params: z.strictObject({ network: networkReference }),
    result: networkEntry,
  },
  /** Takes back the last `forget`, within ten minutes. Until then the service keeps it in its memory alone. */
  restore: {
    params: z.strictObject({ network: z.string().min(1).max(64) }),
    result: networkEntry,
  },
};

export type NetworkHints = z.infer<typeof networkHints>;
export type NetworkEntry = z.infer<typeof networkEntry>;
export type NetworkLink = z.infer<typeof networkLink>;
export type NetworkDetails = z.infer<typeof networkDetails>;
export type NetworkMethod = keyof typeof networkMethods;
export type NetworkParams<Method extends NetworkMethod> = z.output<
  (typeof networkMethods)[Method]['params']
>;
export type NetworkResult<Method extends NetworkMethod> = z.output<
  (typeof networkMethods)[Method]['result']
>;
