/** Whether this machine's own DNS is led to Sotto: what is so, what changes it, and the probe of what goes past us. */
import { z } from 'zod';
import { failure } from '../errors.ts';
import { finding } from '../status/finding.ts';
import { closed } from './gate-protocol.ts';

const nothing = z.strictObject({});
const unixMilliseconds = z.number();

/** The ways of telling a system where to ask, in the order in which they are looked for. */
export const systemDnsMechanisms = ['resolved', 'network-manager', 'resolvconf', 'file'] as const;

/** Those that nobody can choose, because they were never run, are told all the same where they are in use. */
export const systemDnsMechanism = z.enum([...systemDnsMechanisms, 'macos', 'windows']);

export const systemDnsStatus = z.strictObject({
  /** what holds it, or would; null: none was found */
  mechanism: systemDnsMechanism.nullable(),
  /** the setting `systemDns.take` */
  wanted: z.boolean(),
  /** programs of this machine ask us */
  taken: z.boolean(),
  /** since when it is taken; null: it is not */
  since: unixMilliseconds.nullable(),
  /** the network links that were told; empty where the mechanism knows none */
  links: z.array(z.string()),
  /** why it is given back although it is wanted; null: it is not wanted, or it is taken, or `trouble` says more */
  givenBackFor: z.enum(['off', 'no-link', 'contested']).nullable(),
  /**
   * another program or the network changed what we told on this network; `closed`: port 53 past us is rejected meanwhile;
   * `constant`: it is changed again as often as we tell it, so that it is with us for moments only; null: nobody changed it
   */
  contest: z
    .strictObject({ since: unixMilliseconds, closed: z.boolean(), constant: z.boolean() })
    .nullable(),
  /** what last kept us from what we want, with what to do about it */
  trouble: failure.nullable(),
});

/** One way of holding the system's DNS, as found on this machine. */
const foundMechanism = z.strictObject({
  mechanism: systemDnsMechanism,
  usable: z.boolean(),
  /** what was seen, in one sentence */
  why: z.string(),
});

export const systemDnsDetails = z.strictObject({
  /** null: this service knows no way on this system */
  status: systemDnsStatus.nullable(),
  found: z.array(foundMechanism),
  /** the network's own resolvers, "ip:port" each: where questions would go without us */
  own: z.array(z.string()),
  /** what changes the system for us, and how many changes of its it could undo; null: it does not answer */
  helper: z.strictObject({ held: z.int().nonnegative() }).nullable(),
  /** what rejects DNS that goes past us; closed since when and why, or null; why it can't be closed, or null */
  gate: z.strictObject({ closed, unavailable: z.string().nullable() }),
});

export const systemDnsMethods = {
  status: { params: nothing, result: systemDnsDetails },
  take: { params: nothing, result: systemDnsDetails },
  giveBack: { params: nothing, result: systemDnsDetails },
  probe: {
    params: nothing,
    result: z.strictObject({ at: unixMilliseconds, findings: z.array(finding) }),
  },
};

export type SystemDnsMechanism = z.infer<typeof systemDnsMechanism>;
export type SystemDnsStatus = z.infer<typeof systemDnsStatus>;
export type FoundMechanism = z.infer<typeof foundMechanism>;
export type SystemDnsDetails = z.infer<typeof systemDnsDetails>;
