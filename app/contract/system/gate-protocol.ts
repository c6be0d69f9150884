/**
 * The requests of the service to the gate, which rejects the machine's DNS that goes past Sotto, and the replies: one line of
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
]);

/** `since` in unix milliseconds; null: it is open */
export const closed = z.strictObject({ since: z.int(), why }).nullable();

export const gateReply = z.union([
  z.strictObject({ ok: z.strictObject({ closed }) }),
  z.strictObject({ failed: helperFailure }),
]);

export type GateRequest = z.infer<typeof gateRequest>;
export type Closed = NonNullable<z.infer<typeof closed>>;
