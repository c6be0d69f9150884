/**
 * Whether a program goes by what a fix wrote: the files are read with no more rights than its user has, NetworkManager is asked,
 * and a query is sent to where containers ask.
 */
import { z } from 'zod';
import type { CoverageFix } from '../../../contract/system/coverage-fixes.ts';
import type { AskBus } from '../system-bus.ts';
import { type Files, readJson } from './read-files.ts';

const firefoxOff = z.object({
  policies: z.object({ DNSOverHTTPS: z.object({ Enabled: z.literal(false) }) }),
});
const chromiumOff = z.object({ DnsOverHttpsMode: z.literal('off') });
/** In another file, where it would count instead of ours. */
const chromiumOther = z
  .object({ DnsOverHttpsMode: z.string() })
  .or(z.object({ DnsOverHttpsTemplates: z.string() }));

const dockerDns = z.object({ dns: z.array(z.ipv4()).min(1) });

export interface ProofParts {
  files: Files;
  bus: AskBus;
  /** whether a query to this address arrives at our engine */
  arrivesAt(address: string): Promise<boolean>;
}

/** The file, the name on the bus or the address that does not say it; null: it is proved. */
export async function unprovedBy(
  fix: CoverageFix,
  written: readonly string[],
  parts: ProofParts,
): Promise<string | null> {
  const { files, bus } = parts;
  if (fix === 'docker') return await unansweredIn(written[0] ?? '', parts);
  if (fix === 'network-manager') return (await managesNoDns(bus)) ? null : 'DnsManager.Mode';
  const says = fix === 'firefox' ? firefoxOff : chromiumOff;
  const silent = written.find((file) => !says.safeParse(readJson(files, file)).success);
  if (silent !== undefined || fix === 'firefox') return silent ?? null;
  return (
    written
      .flatMap((file) => besides(files, file))
      .find((file) => chromiumOther.safeParse(readJson(files, file)).success) ?? null
  );
}

/** Containers may ask any of these addresses. */
async function unansweredIn(
  file: string,
  { files, arrivesAt }: ProofParts,
): Promise<string | null> {
  const read = dockerDns.safeParse(readJson(files, file));
  if (!read.success) return file;
  for (const address of read.data.dns) if (!(await arrivesAt(address))) return address;
  return null;
}

function besides(files: Files, file: string): string[] {
  return files.list(file.slice(0, file.lastIndexOf('/'))).filter((other) => other !== file);
}

async function managesNoDns(bus: AskBus): Promise<boolean> {
  return (
    'none' ===
    (await bus({
      destination: 'org.freedesktop.NetworkManager',
      path: '/org/freedesktop/NetworkManager/DnsManager',
      interface: 'org.freedesktop.DBus.Properties',
      member: 'Get',
      signature: 'ss',
      body: ['org.freedesktop.NetworkManager.DnsManager', 'Mode'],
    }))
  );
}
