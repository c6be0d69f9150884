/** Public resolvers we ship, from assets/data/resolvers.json; the first one is the default upstream. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import {
  authenticationName,
  serverAddress,
  type UpstreamSetting,
  upstreamTransports,
} from '../../contract/upstream-settings.ts';
import { installed } from '../../installation.ts';

const resolver = z.strictObject({
  id: z.string(),
  label: z.string(),
  operator: z.string(),
  transport: z.enum(upstreamTransports),
  addresses: z.array(serverAddress).min(1),
  names: z.array(authenticationName).min(1),
  /** what the operator says about itself */
  filtering: z.string(),
  /** null: the page it was taken from does not say */
  validation: z.string().nullable(),
  logging: z.string(),
  /** the documentation the entry was taken from */
  source: z.url(),
});

const catalogueFile = z.strictObject({ resolvers: z.array(resolver).min(1) });

export type Resolver = z.infer<typeof resolver>;

export function readCatalogue(file = installed('assets/data/resolvers.json')): Resolver[] {
  return catalogueFile.parse(JSON.parse(readFileSync(file, 'utf8'))).resolvers;
}

/** What a person calls an upstream: the catalogue's word for it where its name is known there, else its id. */
export function upstreamLabel(
  { id, name = [] }: Pick<UpstreamSetting, 'id' | 'name'>,
  catalogue: readonly Resolver[],
): string {
  const names = [name].flat().map((one) => one.toLowerCase());
  return catalogue.find((known) => known.names.some((one) => names.includes(one)))?.label ?? id;
}

export function defaultUpstreams(catalogue: readonly Resolver[]): UpstreamSetting[] {
  return catalogue.slice(0, 1).map(({ id, transport, addresses, names }) => ({
    id,
    transport,
    address: [...addresses],
    name: [...names],
  }));
}
