/**
 * What links told of resolvers when we last told them ours. NetworkManager's settings of a connection do not hold what DHCP
 * gave, so that the undo does not either; after a crash nobody else could say where questions would go without us.
 */
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { writeDurably } from '../durable-file.ts';
import type { LinkResolvers } from '../network/network-snapshot.ts';
import type { Before } from './mechanism.ts';

const remembered = z.record(
  z.string(),
  z.strictObject({
    servers: z.array(z.string()),
    domains: z.array(z.strictObject({ name: z.string(), routeOnly: z.boolean() })),
  }),
);

export interface ResolverMemory {
  /** To be called before they are told ours. */
  note(links: readonly LinkResolvers[]): void;
  find(link: string): Before | null;
}

export function openResolverMemory(file: string): ResolverMemory {
  let known = read(file);
  return {
    note(links) {
      const told: z.infer<typeof remembered> = {};
      // NetworkManager tells IPv4 and IPv6 of a link one by one.
      for (const { interface: name, servers, domains } of links) {
        if (name === null || servers.length === 0) continue;
        const before = told[name] ?? { servers: [], domains: [] };
        told[name] = {
          servers: [...before.servers, ...servers],
          domains: [...before.domains, ...domains],
        };
      }
      if (isDeepStrictEqual(told, known)) return;
      known = told;
      try {
        writeDurably(file, `${JSON.stringify(known)}\n`);
      } catch {
        // Until the next crash it is known all the same.
      }
    },
    find: (link) => known[link] ?? null,
  };
}

function read(file: string): z.infer<typeof remembered> {
  try {
    return remembered.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return {};
  }
}
