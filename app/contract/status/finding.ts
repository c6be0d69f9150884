/** What one check of `sotto doctor` found: a verdict, one sentence, and what to do about it. */
import { z } from 'zod';
import { said } from '../sentences/said.ts';

export const verdicts = ['ok', 'warn', 'fail'] as const;

/** A remedy that the service itself can carry out: a method of the contract and its parameters. */
const remedyAction = z.strictObject({
  method: z.string(),
  params: z.record(z.string(), z.json()),
});

export const finding = z.strictObject({
  /** stable, for scripts: "upstream", "disk" */
  check: z.string(),
  /** an upstream's id or an address, where there can be several findings of a kind; else empty */
  subject: z.string(),
  verdict: z.enum(verdicts),
  text: z.string(),
  /** null where nothing needs to be done */
  remedy: z.string().nullable(),
  /** the codes of both, for clients in another language; empty where the text comes from elsewhere */
  says: z.strictObject({ text: z.array(said), remedy: z.array(said) }),
  /** null where only a person can */
  action: remedyAction.nullable(),
});

export const diagnosticReport = z.strictObject({
  /** unix milliseconds */
  at: z.number(),
  /** for reading and for passing on: no queried names, no addresses of this machine or its networks */
  text: z.string(),
});

export type Verdict = (typeof verdicts)[number];
export type Finding = z.infer<typeof finding>;
export type RemedyAction = z.infer<typeof remedyAction>;
