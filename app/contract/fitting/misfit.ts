/** Whether a value that arrived, or that is to be sent, follows the contract. */
import type { NotificationName } from '../service-api.ts';
import { contractSchemas } from './contract-schemas.ts';
import { mismatch, type Schema } from './mismatch.ts';

type Schemas = typeof contractSchemas;
type Part = Exclude<keyof Schemas, 'shared'>;

/** The path of the first wrong value, such as "upstreams.0.state"; null: none is wrong. */
export function misfit<Of extends Part>(
  part: Of,
  name: keyof Schemas[Of],
  value: unknown,
): string | null {
  const schema: Schema = contractSchemas[part][name] as Schema;
  return mismatch(schema, value, contractSchemas.shared);
}

export function isNotification(name: string): name is NotificationName {
  return Object.hasOwn(contractSchemas.notifications, name);
}
