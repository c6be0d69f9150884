/**
 * Connects to the service: through the window's preload, or from a browser over HTTP. Only this folder knows which; all other
 * code has a `ServiceClient`.
 */
import type { Door } from './connection.ts';
import { openHttpDoor } from './over-http.ts';
import { openPreloadDoor, type Preload } from './over-preload.ts';

declare global {
  interface Window {
    readonly sotto?: Preload;
  }
}

export function openDoor(): Door {
  return window.sotto === undefined ? openHttpDoor() : openPreloadDoor(window.sotto);
}
