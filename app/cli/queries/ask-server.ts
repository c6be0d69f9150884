/** Sends one query straight to a server, and shows each protocol step as it happens. */

import type { ProbeStep } from '../../contract/probing/probe-report.ts';
import {
  isPrivate,
  pin as pinSchema,
  proxyAddress,
  proxySetting,
} from '../../contract/settings/upstream-settings.ts';
import { sayLatency } from '../../contract/text/quantity.ts';
import { safe } from '../../contract/text/visible-text.ts';
import type { CommandLine, CommonOptions } from '../command-line.ts';
import { exitCodes } from '../exit-codes.ts';
import { badUsage } from '../failure.ts';
import { renderMessage } from '../render/answer.ts';
import { renderEarlyData, renderFastOpen, renderSecurity, renderStep } from '../render/probe.ts';
import { print } from '../terminal/print.ts';
import { isAnswer, type Query } from './ask-service.ts';
import { type Probed, type ProbeTrust, probeServer, readCa } from './engine-probe.ts';
import { parseServerAddress, type ServerAddress } from './server-address.ts';
import { type ToldLedger, tellLedger } from './tell-ledger.ts';

export interface DirectOptions {
  ca?: string;
  pin?: string[];
  starttls?: 'draft' | 'compat';
  /** socks5://ip:port */
  proxy?: string;
  /** milliseconds */
  timeout?: number;
}

const defaultTimeout = 5000;

export async function askServer(
  line: CommandLine,
  query: Query,
  at: string,
  options: CommonOptions & DirectOptions,
): Promise<void> {
  const { terminal } = line;
  const server = throughProxy(parseServerAddress(at), options.proxy);
  const trust = readTrust(server, options);
  const timeoutMs = options.timeout ?? defaultTimeout;
  const { address, ...how } = server;
  const { transport } = how;
  const told =
    transport === 'udp' || transport === 'tcp'
      ? await tellLedger(line, options, { transport, address, timeoutMs })
      : null;
  if (told !== null && !options.json)
    terminal.out(terminal.paint('yellow', sayCleartext(transport, told)));
  const onStep = (step: ProbeStep) => {
    if (!options.json) terminal.out(renderStep(step, terminal));
  };
  let packets = 0;
  const probedServer = { ...how, addresses: [address] };
  const probed = await probeServer(query, probedServer, trust, timeoutMs, onStep)
    .then((ended) => {
      packets = ended.report.clearPackets ?? 0;
      return ended;
    })
    .finally(() => told?.end(packets));
  print(terminal, options, { ...query, ...asJson(probed, told) }, () => renderResult(probed));
  if (!probed.report.ok || probed.response === null || !isAnswer(probed.response.rcode)) {
    line.exitCode = exitCodes.failed;
  }
}

function sayCleartext(transport: string, { said: { entry, why } }: ToldLedger): string {
  const recorded = entry === null ? safe(why ?? '') : `ledger entry ${entry}`;
  return `${transport} is cleartext: everyone on the way can read this query (${recorded}).`;
}

function asJson({ report, response }: Probed, told: ToldLedger | null) {
  const ledger = told === null ? {} : { ledger: told.said };
  return {
    ...report,
    clear: told !== null,
    ...ledger,
    rcode: response?.rcode ?? null,
    response: response,
  };
}

function throughProxy(server: ServerAddress, proxy: string | undefined): ServerAddress {
  if (proxy === undefined) return server;
  const checked = proxySetting.safeParse(proxy);
  if (!checked.success)
    throw badUsage(`"${proxy}" is not a SOCKS5 proxy`, 'write it as socks5://127.0.0.1:9050');
  if (!isPrivate(server.transport))
    throw badUsage(
      `${server.transport} is cleartext: whoever runs the proxy, or its exit, would read the query`,
      'use tdns:// or dot://, or leave --proxy out',
    );
  return { ...server, proxy: proxyAddress(checked.data) };
}

/** TLS without a check of the server's identity protects from no attacker, so a name or a pin is required. */
function readTrust(server: ServerAddress, options: DirectOptions): ProbeTrust {
  const pins = options.pin ?? [];
  checkTrust(server, pins, options);
  return {
    pins: pins.map((pin) => pin.replace(/^sha256\//, '')),
    ca: options.ca === undefined ? null : readCa(options.ca),
    starttls: options.starttls ?? 'compat',
  };
}

function checkTrust(server: ServerAddress, pins: string[], options: DirectOptions): void {
  const encrypted = isPrivate(server.transport);
  const isNamed = server.names.length > 0;
  const wrong = pins.find((pin) => !pinSchema.safeParse(pin).success);
  if (wrong !== undefined) {
    throw badUsage(
      `"${wrong}" is not a pin`,
      'a pin is the base64 SHA-256 of a public key: 44 characters',
    );
  }
  if (encrypted && !isNamed && pins.length === 0) {
    throw badUsage(
      `${server.transport} without a name or a pin can't tell the server from an impostor`,
      `add #NAME to the address, or --pin`,
    );
  }
  if (!encrypted && (pins.length > 0 || options.ca !== undefined || isNamed)) {
    throw badUsage(
      `${server.transport} has no TLS, so a name, --pin or --ca would protect nothing`,
      'use tdns:// or dot://, or leave them out',
    );
  }
  if (options.starttls !== undefined && server.transport !== 'tdns') {
    throw badUsage(
      `--starttls belongs to tdns, not ${server.transport}`,
      'use tdns://, or leave it out',
    );
  }
}

function renderResult({ report, response }: Probed): string[] {
  if (!report.ok) return ['', `no response: ${safe(report.error?.message ?? 'no reason given')}`];
  const security = [
    ...renderSecurity(report),
    ...renderFastOpen(report),
    ...renderEarlyData(report),
  ];
  return [
    ...(security.length === 0 ? [] : ['', ...security]),
    '',
    ...(response === null ? ['the response could not be read'] : renderMessage(response)),
    '',
    `${report.transport} ${safe(report.address)} in ${sayLatency(report.ms)}, ${report.roundTrips} round trips`,
  ];
}
