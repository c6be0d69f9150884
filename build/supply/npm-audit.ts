/** Reads the output of `npm audit --json` and `npm audit signatures --json`. */
import { z } from 'zod';
import { type Answer, clean, found, unasked } from './answer.ts';

const advisories = z.object({
  vulnerabilities: z.record(
    z.string(),
    z.object({
      severity: z.string(),
      range: z.string(),
      via: z.array(z.union([z.string(), z.object({ title: z.string(), url: z.string() })])),
    }),
  ),
});

export function readAdvisories(text: string): Answer {
  const read = advisories.safeParse(parse(text));
  if (!read.success) return unasked(whyNot(text));
  const all = Object.entries(read.data.vulnerabilities);
  if (all.length === 0) return clean('');
  return found(
    all
      .map(([name, { severity, range, via }]) => {
        const why = via.map((one) => (typeof one === 'string' ? one : `${one.title}  ${one.url}`));
        return `${name} ${range}  ${severity}: ${why.join('; ')}`;
      })
      .join('\n'),
  );
}

const signed = z.object({ name: z.string(), version: z.string() });
const signatures = z.object({ invalid: z.array(signed), missing: z.array(signed) });

export function readSignatures(text: string): Answer {
  const read = signatures.safeParse(parse(text));
  if (!read.success) return unasked(whyNot(text));
  const { invalid, missing } = read.data;
  const say = (what: string) => (one: z.infer<typeof signed>) =>
    `${one.name} ${one.version}  ${what}`;
  const all = [
    ...invalid.map(say('has a signature that is not its registry’s')),
    ...missing.map(say('has no signature, and its registry has keys')),
  ];
  return all.length === 0 ? clean('') : found(all.join('\n'));
}

const failure = z.object({
  message: z.string().optional(),
  error: z.object({ summary: z.string() }),
});

function whyNot(text: string): string {
  const read = failure.safeParse(parse(text));
  const said = read.success ? read.data.error.summary || read.data.message : text.trim();
  return said || 'npm said nothing';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
