/**
 * Servers that have proved their identity over TLS at some time, and EncDNS servers that hid the lengths of queries, kept in the
 * state folder for the next start: one of them that does less is evidence of an attack (docs/design/starttls-memory.md). It
 * holds no queried name; an administrator's `sotto upstream forget` empties it, and the engine bounds it.
 */
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { parseSocketAddress } from '../../contract/dns/socket-address.ts';
import { parseNamedAddress } from '../../contract/settings/upstream-settings.ts';
import { writeDurably } from '../base/durable-file.ts';
import type { Listeners } from '../base/listeners.ts';
import type { EngineDriver } from '../engine/engine-driver.ts';

/** More are not read: the engine keeps so many. */
const most = 256;

const knownFile = z.strictObject({ servers: z.array(z.string()) });

export interface KnownPrivate {
  /** ip:port, name:port or encdns:key each, the latest last */
  list(): readonly string[];
  /** What the engine knows now; throws where the disk refuses. */
  keep(servers: readonly string[]): void;
}

/** A file that is not there, or not one of ours, knows none. */
export function openKnownPrivate(file: string): KnownPrivate {
  let known: readonly string[] = read(file);
  return {
    list: () => known,
    keep(servers) {
      // The order of the list only decides which server is forgotten first.
      if (isDeepStrictEqual(known.toSorted(), servers.toSorted())) return;
      writeDurably(file, `${JSON.stringify({ servers })}\n`);
      known = [...servers];
    },
  };
}

function read(file: string): string[] {
  try {
    const { servers } = knownFile.parse(JSON.parse(readFileSync(file, 'utf8')));
    return servers.filter(isKnown).slice(-most);
  } catch {
    return [];
  }
}

/** In the form that the engine accepts; one wrong text would make it refuse the whole configuration. */
function isKnown(text: string): boolean {
  if (/^encdns:[0-9a-f]{64}$/.test(text)) return true;
  const port = parseSocketAddress(text)?.port ?? parseNamedAddress(text)?.port;
  return port !== null && port !== undefined && port > 0;
}

/** The engine reports changes far more often than servers become known. */
const settleMs = 250;

interface Following {
  known: KnownPrivate;
  engine: Pick<EngineDriver, 'status'>;
  engineChanged: Listeners<void>;
  onTrouble(error: unknown): void;
}

/** Keeps what the engine learns; the function returned ends it, after a last look. */
export function followKnownPrivate({
  known,
  engine,
  engineChanged,
  onTrouble,
}: Following): () => void {
  let timer: NodeJS.Timeout | null = null;
  function keep(): void {
    timer = null;
    try {
      known.keep(engine.status().knownPrivate);
    } catch (error) {
      onTrouble(error);
    }
  }
  const end = engineChanged.add(() => {
    timer ??= setTimeout(keep, settleMs).unref();
  });
  return () => {
    end();
    if (timer !== null) clearTimeout(timer);
    keep();
  };
}
