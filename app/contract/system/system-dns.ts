/** Whether this machine's own DNS is led to Sotto: the state, how it is changed, and the probe for coverage gaps. */
import { z } from 'zod';
import { failure } from '../failure.ts';
import { finding } from '../status/finding.ts';
import { closed } from './gate-protocol.ts';

const nothing = z.strictObject({});
const unixMilliseconds = z.number();

/** The mechanisms that tell a system its resolver, in the order in which they are tried. */
export const systemDnsMechanisms = ['resolved', 'network-manager', 'resolvconf', 'file'] as const;

/** Mechanisms that were never run can't be chosen, but are reported where they are in use. */
export const systemDnsMechanism = z.enum([...systemDnsMechanisms, 'macos', 'windows']);

export const systemDnsStatus = z.strictObject({
  /** what holds it, or would hold it; null: none was found */
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
   * another program or the network changed our settings on this network; `closed`: port 53 past us is rejected meanwhile;
   * `constant`: it is changed again as soon as we set it, so that it is ours for moments only; null: no change
   */
  contest: z
    .strictObject({ since: unixMilliseconds, closed: z.boolean(), constant: z.boolean() })
    .nullable(),
  /** what last prevented what is wanted, and what to do about it */
  trouble: failure.nullable(),
});

/** One way of holding the system's DNS, as found on this machine. */
const foundMechanism = z.strictObject({
  mechanism: systemDnsMechanism,
  usable: z.boolean(),
  /** what was found, in one sentence */
  why: z.string(),
});

export const systemDnsDetails = z.strictObject({
  /** null: this service knows no mechanism of this system */
  status: systemDnsStatus.nullable(),
  found: z.array(foundMechanism),
  /** the network's own resolvers, "ip:port" each: where queries would go without us */
  own: z.array(z.string()),
  /** the helper, which changes the system for us, and how many of its changes it could undo; null: it does not respond */
  helper: z.strictObject({ held: z.int().nonnegative() }).nullable(),
  /** the line for a terminal that starts the helper for this service */
  startHelper: z.string(),
  /** the gate, which rejects DNS that goes past us: since when and why it is closed, or null; why it can't be closed, or null */
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
