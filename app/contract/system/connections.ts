/** The audit of connections: which programs reach addresses that no response gave (docs/decisions/0047). */
import { z } from 'zod';
import { standings } from '../engine-words.ts';
import { said } from '../sentences/said.ts';

const unixMilliseconds = z.number();
const count = z.int().nonnegative();

const listedAddress = z.strictObject({
  address: z.string(),
  port: z.int(),
  protocol: z.enum(['tcp', 'udp']),
  /**
   * `nameless`: no response gave it; `older`: it was open before responses were known; `forgotten`: responses gave more addresses
   * than are remembered
   */
  standing: z.enum(standings),
  /** the public resolver that has this address; null: none that we know */
  resolver: z.string().nullable(),
  firstSeen: unixMilliseconds,
  lastSeen: unixMilliseconds,
  connections: count,
  /** how many of them were open at the last look */
  open: count,
});

/** A text is empty where nothing is known. */
const listedProgram = z.strictObject({
  program: z.string(),
  application: z.string(),
  icon: z.string(),
  unit: z.string(),
  container: z.string(),
  executable: z.string(),
  user: z.string(),
  /** the one seen most recently first */
  addresses: z.array(listedAddress),
});

const connectionAudit = z.strictObject({
  /** since when responses are known */
  since: unixMilliseconds,
  lookedAt: unixMilliseconds,
  /** whatever responses gave since then is remembered */
  remembersSince: unixMilliseconds,
  /** how many addresses are remembered */
  addresses: count,
  /** connections at the last look; null: the system tells of none */
  seen: z
    .strictObject({
      named: count,
      listed: count,
      /** opened by other computers */
      accepted: count,
      /** to this computer or its network */
      nearby: count,
      /** of the service itself */
      own: count,
      /** false: there were more sockets than are read */
      isWhole: z.boolean(),
    })
    .nullable(),
  /** why connections could not be looked at; empty: they could */
  trouble: z.string(),
  programs: z.array(listedProgram),
  /** addresses that were listed, and had to make room for others */
  leftOut: count,
});

export const connectionsReport = z.strictObject({
  /** null: the setting `audit.connections` is off */
  audit: connectionAudit.nullable(),
  /** what the audit can't see; `says` is for clients in another language */
  limits: z.array(z.strictObject({ text: z.string(), says: z.array(said) })),
});

export const connectionsMethods = {
  list: { params: z.strictObject({}), result: connectionsReport },
};

export type ListedAddress = z.infer<typeof listedAddress>;
export type ListedProgram = z.infer<typeof listedProgram>;
export type ConnectionAudit = z.infer<typeof connectionAudit>;
export type ConnectionsReport = z.infer<typeof connectionsReport>;
