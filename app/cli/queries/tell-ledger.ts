/**
 * A query in cleartext that this command sends itself, past the service. It stands in the service's ledger before it leaves,
 * where there is a service.
 */
import type { Params } from '../../contract/service-api.ts';
import { connectToService } from '../../service-client/service-client.ts';
import { type CommandLine, type CommonOptions, pathsFor } from '../command-line.ts';
import { CommandFailed } from '../failure.ts';

export interface ToldLedger {
  /** the form for `--json` */
  said: { entry: number | null; why: string | null };
  end(packets: number): Promise<void>;
}

export async function tellLedger(
  line: CommandLine,
  options: CommonOptions,
  query: Params<'ledger.begin'>,
): Promise<ToldLedger> {
  const path = pathsFor(line, options).controlSocket;
  const connected = await connectToService(path, 'sotto command line');
  if (!connected.ok) {
    const { code, message } = connected.failure;
    const none = 'no service runs, so no ledger records it';
    return untold(code === 'not-running' ? none : `no ledger records it: ${message}`);
  }
  const service = connected.value;
  const begun = await service.call('ledger.begin', query);
  if (begun.ok)
    return {
      said: { entry: begun.value.entry, why: null },
      async end(packets) {
        await service.call('ledger.end', { packets });
        service.close();
      },
    };
  service.close();
  // Where the ledger can't be written, nothing leaves. A person who may not write to it reads why there is no entry.
  if (begun.failure.code === 'state-unwritable') throw new CommandFailed(begun.failure);
  return untold(`no ledger records it: ${begun.failure.message}`);
}

function untold(why: string): ToldLedger {
  return { said: { entry: null, why }, end: async () => {} };
}
