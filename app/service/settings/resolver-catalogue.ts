/** The catalogue of public resolvers, from assets/data/resolvers.json; the first one is the default upstream. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { resolver } from '../../contract/settings/upstream-methods.ts';
import {
  authenticationName,
  serverAddress,
  type UpstreamSetting,
} from '../../contract/settings/upstream-settings.ts';
import { installed } from '../../installation.ts';

const shipped = z.strictObject({
  ...resolver.shape,
  addresses: z.array(serverAddress).min(1),
  names: z.array(authenticationName).min(1),
  source: z.url(),
  checked: z
    .strictObject({
      ...resolver.shape.checked.shape,
      on: z.iso.date(),
      against: z.array(z.url()).min(1),
    })
    .refine(({ by, against }) => by === 'operator' || new Set(against).size > 1, {
      error: 'one list of others agrees with nobody',
    }),
  retired: z.strictObject({ on: z.iso.date(), notice: z.url() }).nullable(),
});

const catalogueFile = z.strictObject({ resolvers: z.array(shipped).min(1) });

export type Resolver = z.infer<typeof shipped>;

export function readCatalogue(file = installed('assets/data/resolvers.json')): Resolver[] {
  return catalogueFile.parse(JSON.parse(readFileSync(file, 'utf8'))).resolvers;
}

/** The resolver of the catalogue that an upstream is, by its name. */
export function knownResolver(
  { name = [] }: Pick<UpstreamSetting, 'name'>,
  catalogue: readonly Resolver[],
): Resolver | undefined {
  const names = [name].flat().map((one) => one.toLowerCase());
  return catalogue.find((known) => known.names.some((one) => names.includes(one)));
}

/** The label of an upstream: the catalogue's where its name is known there, else its id. */
export function upstreamLabel(
  upstream: Pick<UpstreamSetting, 'id' | 'name'>,
  catalogue: readonly Resolver[],
): string {
  return knownResolver(upstream, catalogue)?.label ?? upstream.id;
}

/** Port 53 of these, where there is one, answers for a few names only. */
export function notInCleartext(
  upstreams: readonly UpstreamSetting[],
  catalogue: readonly Resolver[],
): ReadonlySet<string> {
  const those = upstreams.filter(
    (upstream) =>
      (knownResolver(upstream, catalogue)?.inCleartext ?? 'every name') !== 'every name',
  );
  return new Set(those.map(({ id }) => id));
}

export function defaultUpstreams(catalogue: readonly Resolver[]): UpstreamSetting[] {
  const offered = catalogue.filter(({ retired }) => retired === null);
  return offered.slice(0, 1).map(({ id, transport, addresses, names }) => ({
    id,
    transport,
    address: [...addresses],
    name: [...names],
  }));
}
