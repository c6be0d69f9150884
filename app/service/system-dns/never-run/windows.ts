/**
 * Windows, transcribed from Microsoft's documentation of the Name Resolution Policy Table (Add-, Get- and
 * Remove-DnsClientNrptRule), of SetInterfaceDnsSettings and DNS_INTERFACE_SETTINGS (netioapi.h), and of
 * ConvertInterfaceLuidToGuid. One rule for every name leads to us; Windows then uses no other resolver, whatever adapters say,
 * so that none of them has to be changed and none gets queries in parallel. The rule has our name, by which it is found again
 * after a crash; removing it is the whole undo. A program that reads an adapter's servers directly (nslookup) finds us there,
 * too, where the adapter had none of its own making: those are set by LUID, and emptied as the undo. PowerShell answers in
 * JSON; nothing localized is read.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';
import { fail, type Result, succeed } from '../../../contract/errors.ts';
import type { Mechanism, ServerAddress } from '../mechanism.ts';

const owner = 'Sotto';
const ran = promisify(execFile);

const rules = z.array(
  z.object({ Namespace: z.array(z.string()), NameServers: z.array(z.string()) }),
);

export function windowsMechanism(powershell = runPowershell): Mechanism {
  return {
    name: 'windows',
    perLink: false,
    anyPort: false,
    look: async () => ({
      usable: (await powershell(readRules)).ok,
      why: 'The name resolution policy table (NRPT).',
    }),
    async holdings() {
      const said = await powershell(readRules);
      if (!said.ok) return said;
      const servers = (rules.safeParse(json(said.value)).data ?? []).flatMap(({ NameServers }) =>
        NameServers.map((address) => ({ address, port: 53 })),
      );
      const of = { link: null, search: null, before: { servers: [], domains: [] } };
      return succeed(servers.length === 0 ? [] : [{ ...of, servers, since: 0, inPlace: true }]);
    },
    take: async (_target, servers) => done(await powershell(takeScript(servers))),
    giveBack: async () => done(await powershell(giveBackScript)),
    flush: async () => done(await powershell('Clear-DnsClientCache')),
    follow: () => () => {},
  };
}

const ours = `Get-DnsClientNrptRule | Where-Object { $_.DisplayName -eq '${owner}' }`;
const readRules = `ConvertTo-Json -Compress -Depth 3 @(${ours} | Select-Object Namespace, NameServers)`;
const removeRules = `${ours} | ForEach-Object { Remove-DnsClientNrptRule -Name $_.Name -Force }`;

/**
 * DNS_SETTING_NAMESERVER is 2, DNS_SETTING_IPV6 1, DNS_INTERFACE_SETTINGS_VERSION1 1. An adapter is told by its LUID, which
 * survives renaming; only adapters that are up and were given no servers by a person are.
 */
const setServers = `
Add-Type -Namespace Sotto -Name Ip -MemberDefinition @'
[StructLayout(LayoutKind.Sequential, CharSet = CharSet.Unicode)]
public struct Settings { public uint Version; public ulong Flags; public string Domain; public string NameServer;
  public string SearchList; public uint RegistrationEnabled; public uint RegisterAdapterName; public uint EnableLLMNR;
  public uint QueryAdapterName; public string ProfileNameServer; }
[DllImport("iphlpapi.dll")] public static extern uint ConvertInterfaceLuidToGuid(ref ulong luid, out Guid guid);
[DllImport("iphlpapi.dll", CharSet = CharSet.Unicode)]
public static extern uint SetInterfaceDnsSettings(Guid guid, ref Settings settings);
'@ -UsingNamespace System
function Set-Servers($luid, $servers, $flags) {
  $guid = [Guid]::Empty
  if ([Sotto.Ip]::ConvertInterfaceLuidToGuid([ref]$luid, [ref]$guid) -ne 0) { throw 'no such adapter' }
  $settings = New-Object Sotto.Ip+Settings -Property @{ Version = 1; Flags = $flags; NameServer = $servers }
  $status = [Sotto.Ip]::SetInterfaceDnsSettings($guid, [ref]$settings)
  if ($status -ne 0) { throw "SetInterfaceDnsSettings: $status" }
}
function Get-Static($guid, $stack) {
  (Get-ItemProperty "HKLM:\\SYSTEM\\CurrentControlSet\\Services\\$stack\\Parameters\\Interfaces\\$guid").NameServer
}`;

function takeScript(servers: readonly ServerAddress[]): string {
  const quoted = servers.map(({ address }) => `'${address}'`).join(', ');
  const of = (six: boolean) =>
    servers.map(({ address }) => address).filter((address) => address.includes(':') === six);
  const set = (six: boolean) =>
    of(six).length === 0
      ? ''
      : `  if (-not (Get-Static $_.InterfaceGuid '${six ? 'Tcpip6' : 'Tcpip'}')) { Set-Servers $_.NetLuid '${of(six).join(',')}' ${six ? 3 : 2} }`;
  return `${setServers}
${removeRules}
Add-DnsClientNrptRule -Namespace '.' -NameServers @(${quoted}) -DisplayName '${owner}'
Get-NetAdapter | Where-Object { $_.Status -eq 'Up' } | ForEach-Object {
${set(false)}
${set(true)}
}`;
}

/** An adapter whose servers are all on loopback names us, or servers that do not exist any more. */
const giveBackScript = `${setServers}
Get-NetAdapter | ForEach-Object {
  if ((Get-Static $_.InterfaceGuid 'Tcpip') -match '^127\\.') { Set-Servers $_.NetLuid '' 2 }
  if ((Get-Static $_.InterfaceGuid 'Tcpip6') -match '^::1') { Set-Servers $_.NetLuid '' 3 }
}
${removeRules}`;

/** Standard output. */
async function runPowershell(script: string): Promise<Result<string>> {
  const words = ['-NoProfile', '-NonInteractive', '-Command', script];
  try {
    const { stdout } = await ran('powershell.exe', words, { timeout: 20_000, windowsHide: true });
    return succeed(stdout.trim());
  } catch (error) {
    return fail(
      'helper-refused',
      `PowerShell refused: ${error instanceof Error ? error.message.split('\n')[0] : error}`,
      'run the service as an administrator',
    );
  }
}

/** Null where it is no JSON: there is no rule of ours. */
function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function done(said: Result<string>): Result<null> {
  return said.ok ? succeed(null) : said;
}
