/**
 * The requests of the service to the gate, which rejects or counts the machine's DNS that goes past Sotto, and the replies: one line of
 * JSON each, over a Unix stream socket (docs/design/the-gate.md). native/helper/src/gate/serve.rs reads the same words.
 */
import { z } from 'zod';
import { helperFailure } from './helper-protocol.ts';

export const gateSocket = '/run/sotto-gate/gate.sock';

const why = z.enum(['contested', 'always']);

export const gateRequest = z.discriminatedUnion('verb', [
  z.strictObject({ verb: z.literal('close'), why }),
  z.strictObject({ verb: z.literal('open') }),
  z.strictObject({ verb: z.literal('status') }),
  z.strictObject({ verb: z.literal('count') }),
  z.strictObject({ verb: z.literal('uncount') }),
  z.strictObject({ verb: z.literal('counted') }),
]);

/** `since` in unix milliseconds; null: it is open */
export const closed = z.strictObject({ since: z.int(), why }).nullable();

const program = z.strictObject({
  user: z.int(),
  account: z.string(),
  /** the number of its control group; 0: the kernel did not tell it */
  group: z.string(),
  program: z.string(),
  container: z.string(),
});

/** Forwarded by this machine. `from`: null where too many were to be counted one by one. */
const behind = z.strictObject({ interface: z.string(), from: z.string().nullable() });

/** Datagrams and new connections since the kernel has this row; it forgets one after ten minutes without any. */
const countedRow = z.strictObject({
  /** null: more than could be told apart */
  by: z.union([program, behind]).nullable(),
  /** IPPROTO_UDP or IPPROTO_TCP */
  protocol: z.int(),
  port: z.int(),
  to: z.string().nullable(),
  tried: z.int().nonnegative(),
  /** what was not rejected */
  left: z.int().nonnegative(),
  /** unix milliseconds */
  newest: z.number(),
});

/** `table`: another number means that counting began anew; null: nothing is counted */
const counted = z.strictObject({ table: z.int(), rows: z.array(countedRow) }).nullable();

export const gateReply = z.union([
  z.strictObject({ ok: z.strictObject({ closed }) }),
  z.strictObject({ ok: z.strictObject({ counts: z.boolean() }) }),
  z.strictObject({ ok: z.strictObject({ counted }) }),
  z.strictObject({ failed: helperFailure }),
]);

export type GateRequest = z.infer<typeof gateRequest>;
export type Closed = NonNullable<z.infer<typeof closed>>;
export type Counted = NonNullable<z.infer<typeof counted>>;
export type CountedRow = z.infer<typeof countedRow>;
