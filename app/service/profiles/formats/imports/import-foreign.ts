/** The file of another program as a profile, or as settings. Pure. */
import { importAdguardHome } from './adguard-home.ts';
import { importDnscryptProxy } from './dnscrypt-proxy.ts';
import { readForeignText, Unreadable } from './read-foreign.ts';
import { importResolvedConf } from './resolved-conf.ts';
import { importStubby } from './stubby.ts';
import { type ImportOptions, Taken } from './taken.ts';
import { importUnbound } from './unbound.ts';

const formats = {
  stubby: importStubby,
  'dnscrypt-proxy': importDnscryptProxy,
  unbound: importUnbound,
  'adguard-home': importAdguardHome,
  'systemd-resolved': importResolvedConf,
} satisfies Record<string, (text: string, taken: Taken) => void>;

export type ImportFormat = keyof typeof formats;
export const importFormats = Object.keys(formats) as ImportFormat[];

export type Imported =
  | { taken: Taken; settings: Record<string, unknown> }
  | { reason: string; line: number | null };

export function importForeign(
  format: ImportFormat,
  octets: Buffer,
  options: ImportOptions,
): Imported {
  const taken = new Taken(options);
  try {
    formats[format](readForeignText(octets), taken);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { reason: error.message, line: error.line };
  }
  taken.dropEmptyGroups();
  return { taken, settings: settingsOf(taken) };
}

function settingsOf({ upstreams, bypass, groups, strategy }: Taken): Record<string, unknown> {
  return {
    ...(upstreams.length === 0 ? {} : { upstreams }),
    ...(strategy === null || upstreams.length < 2 ? {} : { strategy }),
    ...(Object.keys(groups).length === 0 ? {} : { groups }),
    ...(bypass.length === 0 ? {} : { bypass }),
  };
}
