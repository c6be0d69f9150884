/** One question straight to a server, each protocol step as it happens. */

import { sayMilliseconds } from '../contract/duration.ts';
import { isPrivate, pin as pinSchema } from '../contract/upstream-settings.ts';
import { safe, safeJson } from '../contract/visible-text.ts';
import { isAnswer, type Question } from './ask-service.ts';
import type { CommandLine, CommonOptions } from './command-line.ts';
import { type Probed, type ProbeTrust, probeServer, readCa } from './engine-probe.ts';
import { badUsage, exitCodes } from './failure.ts';
import { renderMessage } from './render-answer.ts';
import { renderEarlyData, renderFastOpen, renderSecurity, renderStep } from './render-probe.ts';
import { parseServerAddress, type ServerAddress } from './server-address.ts';

export interface DirectOptions {
  ca?: string;
  pin?: string[];
  starttls?: 'draft' | 'compat';
  /** milliseconds */
  timeout?: number;
}

const defaultTimeout = 5000;

export async function askServer(
  line: CommandLine,
  question: Question,
  at: string,
  options: CommonOptions & DirectOptions,
): Promise<void> {
  const { terminal } = line;
  const server = parseServerAddress(at);
  const trust = readTrust(server, options);
  const inClear = !isPrivate(server.transport);
  if (inClear && !options.json) {
    terminal.out(
      terminal.paint(
        'yellow',
        `${server.transport} is in clear: everyone on the way can read this question.`,
      ),
    );
  }
  const probed = await probeServer(
    question,
    server,
    trust,
    options.timeout ?? defaultTimeout,
    (step) => {
      if (!options.json) terminal.out(renderStep(step, terminal));
    },
  );
  if (options.json) {
    const { report, reply } = probed;
    terminal.out(
      safeJson({ ...question, ...report, clear: inClear, rcode: reply?.rcode ?? null, reply }),
    );
  } else {
    for (const text of renderResult(probed)) terminal.out(text);
  }
  if (!probed.report.ok || probed.reply === null || !isAnswer(probed.reply.rcode)) {
    line.exitCode = exitCodes.failed;
  }
}

/** TLS to nobody in particular protects from nobody: a name or a pin is required. */
function readTrust(server: ServerAddress, options: DirectOptions): ProbeTrust {
  const pins = options.pin ?? [];
  const encrypted = isPrivate(server.transport);
  const wrong = pins.find((pin) => !pinSchema.safeParse(pin).success);
  if (wrong !== undefined) {
    throw badUsage(
      `"${wrong}" is not a pin`,
      'a pin is the base64 SHA-256 of a public key: 44 characters',
    );
  }
  if (encrypted && server.names.length === 0 && pins.length === 0) {
    throw badUsage(
      `${server.transport} without a name or a pin can't tell the server from an impostor`,
      `add #NAME to the address, or --pin`,
    );
  }
  if (!encrypted && (pins.length > 0 || options.ca !== undefined || server.names.length > 0)) {
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
  return {
    pins: pins.map((pin) => pin.replace(/^sha256\//, '')),
    ca: options.ca === undefined ? null : readCa(options.ca),
    starttls: options.starttls ?? 'compat',
  };
}

function renderResult({ report, reply }: Probed): string[] {
  if (!report.ok) return ['', `no answer: ${safe(report.error?.message ?? 'no reason given')}`];
  const security = [
    ...renderSecurity(report),
    ...renderFastOpen(report),
    ...renderEarlyData(report),
  ];
  return [
    ...(security.length === 0 ? [] : ['', ...security]),
    '',
    ...(reply === null ? ['the reply could not be read'] : renderMessage(reply)),
    '',
    `${report.transport} ${safe(report.address)} in ${sayMilliseconds(report.ms)}, ${report.roundTrips} round trips`,
  ];
}
