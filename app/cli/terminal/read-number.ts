/** Reads numbers on the command line; a refusal names the accepted values. */
import { badUsage } from '../failure.ts';

/** `longest`: the maximum, and `said` its text, where that is clearer than the number. */
export function readMinutes(longest: number, said = ''): (text: string) => number {
  return (text) => {
    const minutes = Number(text);
    if (/^\d+(\.\d+)?$/.test(text) && minutes > 0 && minutes <= longest) return minutes;
    throw badUsage(
      `"${text}" is not a number of minutes`,
      `give --minutes a number up to ${longest}${said}`,
    );
  };
}

export function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1024 && port <= 65_535) return port;
  throw badUsage(`"${text}" is not a port`, 'give --port a number from 1024 to 65535');
}

export function readLimit(what: string, least: number, most: number): (text: string) => number {
  return (text) => {
    const limit = Number(text);
    if (/^\d+$/.test(text) && limit >= least && limit <= most) return limit;
    throw badUsage(
      `"${text}" is not a number of ${what}`,
      `give --limit a number from ${least} to ${most}`,
    );
  };
}
