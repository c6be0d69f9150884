/** Whether what arrived, or what is to be sent, is as the contract says. */
import { contractSchemas } from './contract-schemas.ts';
import { mismatch, type Schema } from './mismatch.ts';

type Schemas = typeof contractSchemas;
type Part = Exclude<keyof Schemas, 'shared'>;

/** Where the value is not as it should be, such as "upstreams.0.state"; null: nowhere. */
export function misfit<Of extends Part>(
  part: Of,
  name: keyof Schemas[Of],
  value: unknown,
): string | null {
  const schema: Schema = contractSchemas[part][name] as Schema;
  return mismatch(schema, value, contractSchemas.shared);
}
