/** A page's connection to the service, whatever carries it. */
import type { Result } from '../../app/contract/errors.ts';
import type { TakingChange } from '../../app/contract/protection/taking-words.ts';
import type { Params, ResultOf, ServiceClient } from '../../app/contract/service-api.ts';

export interface Connection extends ServiceClient {
  readonly hello: ResultOf<'hello'>;
  /** An export's parts (poured-text.ts). Leaving the loop over them ends it, and so does the signal. */
  pour(params: Params<'log.pour'>, signal: AbortSignal): Promise<Result<Octets>>;
  /** The system's own prompt, for a change that this account may not make. The signal closes it. */
  askAuthority(change: TakingChange, signal: AbortSignal): Promise<Result<null>>;
}

export type Octets = AsyncIterable<Uint8Array>;

export interface Door {
  /** The failure's code is `forbidden` where another try would fail, too: this page was not let in. */
  connect(): Promise<Result<Connection>>;
}
