/** Follows the machine's time zone: a process keeps the one that it began with, until it is told another. */
import { readlinkSync } from 'node:fs';

export interface TimeZone {
  /** Takes over what the machine has now. */
  follow(): void;
}

/** A zone from the environment is what somebody chose for this process, so it stays. */
export function followTimeZone(link = '/etc/localtime'): TimeZone {
  const isChosen = process.env.TZ !== undefined;
  let seen = zoneOf(link);

  return {
    follow() {
      if (isChosen) return;
      const zone = zoneOf(link);
      if (zone === seen) return;
      seen = zone;
      if (zone === null) delete process.env.TZ;
      else process.env.TZ = zone;
    },
  };
}

/** "Europe/Berlin" from "../usr/share/zoneinfo/Europe/Berlin"; null: the link does not say. */
function zoneOf(link: string): string | null {
  try {
    return /\/zoneinfo\/(.+)$/.exec(readlinkSync(link))?.[1] ?? null;
  } catch {
    return null;
  }
}
