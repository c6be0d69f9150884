/** Whether anything was decided yet, and what the choice of an upstream changes. Pure. */
import type { Params } from '../../../app/contract/service-api.ts';
import type { EffectiveSetting } from '../../../app/contract/settings/settings-methods.ts';
import type { CatalogueEntry } from '../../../app/contract/settings/upstream-methods.ts';

export const firstRunRoute = 'first-run';

type Known = Pick<EffectiveSetting, 'key' | 'source'>;

/** True while everything that the first run asks has its default: neither the user nor a policy has set it. */
export function nothingDecided(settings: readonly Known[]): boolean {
  const asked = settings.filter(({ key }) => key === 'upstreams' || key === 'downgrade');
  return asked.length > 0 && asked.every(({ source }) => source.layer === 'default');
}

export type UpstreamEdit =
  | { method: 'settings.set'; params: Params<'settings.set'> }
  | { method: 'upstream.add'; params: Params<'upstream.add'> }
  | { method: 'upstream.move'; params: Params<'upstream.move'> };

/**
 * The chosen resolver becomes the first. Where the list was the default, it becomes the only one: a default that no person
 * chose is not kept behind it.
 */
export function editFor(resolver: CatalogueEntry, hasOwn: boolean): UpstreamEdit {
  const { id, transport, addresses, names, upstream } = resolver;
  if (!hasOwn) {
    const value = [{ id, transport, address: addresses, name: names }];
    return { method: 'settings.set', params: { key: 'upstreams', value } };
  }
  return upstream === null
    ? { method: 'upstream.add', params: { upstream: { resolver: id }, at: 0 } }
    : { method: 'upstream.move', params: { id: upstream, to: 0 } };
}

/** Those that are shown at once, each of another operator, and those behind "More"; both in the order of the catalogue. */
export function offered(
  resolvers: readonly CatalogueEntry[],
  atOnce: number,
): { shown: CatalogueEntry[]; more: CatalogueEntry[] } {
  const isNext = (one: CatalogueEntry, place: number) =>
    resolvers.findIndex(({ operator }) => operator === one.operator) === place;
  const shown = resolvers.filter(isNext).slice(0, atOnce);
  return { shown, more: resolvers.filter((one) => !shown.includes(one)) };
}
