/** Reads the output of `cargo deny --format json check …`: one JSON object on each line of standard error. */
import { z } from 'zod';
import { type Answer, clean, found, unasked } from './answer.ts';

const line = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('diagnostic'),
    fields: z.object({
      severity: z.string(),
      message: z.string(),
      graphs: z
        .array(z.object({ Krate: z.object({ name: z.string(), version: z.string() }) }))
        // the finding counts even where its crate is unknown
        .catch([]),
    }),
  }),
  z.object({
    type: z.literal('log'),
    fields: z.object({ level: z.string(), message: z.string() }),
  }),
  z.object({ type: z.literal('summary') }),
]);
type Line = z.infer<typeof line>;

/** A failure without a diagnostic is cargo-deny's own, so there is no result. */
export function readCargoDeny(code: number, text: string): Answer {
  const lines = text.split('\n').flatMap(parse);
  const errors = lines.flatMap((one) =>
    one.type === 'diagnostic' && one.fields.severity === 'error' ? [one.fields] : [],
  );
  if (errors.length > 0)
    return found(
      errors
        .map(({ message, graphs }) => {
          const whose = graphs.map(({ Krate: { name, version } }) => `${name} ${version}`);
          return [message, ...whose].join('  ');
        })
        .join('\n'),
    );
  const judged = lines.some(({ type }) => type === 'summary');
  if (code === 0 && judged) return clean('');
  const logged = lines.flatMap((one) =>
    one.type === 'log' && one.fields.level === 'ERROR' ? [one.fields.message] : [],
  );
  return unasked([...logged, ...(lines.length === 0 ? [text.trim()] : [])].join('\n'));
}

function parse(text: string): Line[] {
  try {
    const read = line.safeParse(JSON.parse(text));
    return read.success ? [read.data] : [];
  } catch {
    return [];
  }
}
