/** Quantities as people read them. */

/** 900 B, 61.4 KB, 60.0 MB */
export function sayOctets(octets: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  const size = Math.min(
    units.length - 1,
    Math.floor(Math.log(Math.max(1, octets)) / Math.log(1024)),
  );
  return `${(octets / 1024 ** size).toFixed(size === 0 ? 0 : 1)} ${units[size]}`;
}

/** 59.4 %; a dash where there is nothing to have a share of */
export function sayShare(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`;
}
