/**
 * The way to the service: through the window's preload, or from a browser over HTTP. This folder is the only place
 * that knows which; everything else has a `ServiceClient`.
 */
import type { Result } from '../../app/contract/errors.ts';
import type { Params, ResultOf, ServiceClient } from '../../app/contract/service-api.ts';
import { openHttpDoor } from './over-http.ts';
import { openPreloadDoor, type Preload } from './over-preload.ts';

export interface Connection extends ServiceClient {
  readonly hello: ResultOf<'hello'>;
  /** An export's parts (poured-text.ts); absent where there is no way for them. */
  pour?(params: Params<'log.pour'>, signal: AbortSignal): Promise<Result<Octets>>;
}

export type Octets = ReadableStream<Uint8Array>;

export interface Door {
  /** The failure's code is `forbidden` where trying again is in vain: this page was not let in. */
  connect(): Promise<Result<Connection>>;
}

declare global {
  interface Window {
    readonly sotto?: Preload;
  }
}

export function openDoor(): Door {
  return window.sotto === undefined ? openHttpDoor() : openPreloadDoor(window.sotto);
}
