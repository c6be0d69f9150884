/** Sends a query to an address of this machine, by this command's own engine. */
import type { AskAddress } from '../../service/doctor/listening-check.ts';
import { CommandFailed } from '../failure.ts';
import { probeServer } from '../queries/engine-probe.ts';

const timeoutMs = 3000;

export const askAddress: AskAddress = async (query, transport, address) => {
  const server = { transport, addresses: [address], names: [] };
  const trust = { pins: [], ca: null, starttls: 'compat' as const };
  try {
    const { report, response } = await probeServer(query, server, trust, timeoutMs, () => {});
    const error = report.ok && response !== null ? null : (report.error?.message ?? 'no response');
    return { ms: report.ms, error };
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    return { ms: 0, error: error.failure.message };
  }
};
