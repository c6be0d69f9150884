/** Quantities as people read them. Page and command line write the same digits and units; the page uses its language's marks. */

export interface Quantity {
  /** "< " where it is smaller than can be written */
  sign: '' | '< ';
  value: number;
  /** after the point */
  digits: number;
  unit: string;
}

/** Units are decimal: 1 kB is 1000 octets. */
export function measureOctets(octets: number): Quantity {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let [value, step] = [octets, 0];
  while (step < units.length - 1 && rounded(value, step === 0 ? 0 : 1) >= 1000) {
    value /= 1000;
    step += 1;
  }
  return quantity(value, step === 0 ? 0 : 1, units[step] ?? '');
}

/** Three significant digits, down to a hundredth of a millisecond. */
export function measureLatency(milliseconds: number): Quantity {
  if (milliseconds > 0 && rounded(milliseconds, 2) === 0)
    return { ...quantity(0.01, 2, 'ms'), sign: '< ' };
  return rounded(milliseconds, 0) >= 1000
    ? quantity(milliseconds / 1000, digitsOf(milliseconds / 1000), 's')
    : quantity(milliseconds, digitsOf(milliseconds), 'ms');
}

/** `share`: 0 to 1 */
export function measureShare(share: number): Quantity {
  return quantity(share * 100, 1, '%');
}

/** 900 B, 61.4 kB, 60.0 MB */
export function sayOctets(octets: number): string {
  return sayQuantity(measureOctets(octets));
}

/** 0.12 ms, 3.40 ms, 38.2 ms, 120 ms, 1.20 s */
export function sayLatency(milliseconds: number): string {
  return sayQuantity(measureLatency(milliseconds));
}

/** 59.4%; a dash where there is no whole */
export function sayShare(share: number | null): string {
  if (share === null) return '–';
  const { value, digits } = measureShare(share);
  return `${value.toFixed(digits)}%`;
}

/** 1 answer, 2 answers; `many` where the plural is not made with an "s": 1 query, 2 queries */
export function sayCount(count: number, what: string, many = `${what}s`): string {
  return `${count} ${count === 1 ? what : many}`;
}

/** 0 to 1; null where there is no whole */
export function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

function sayQuantity({ sign, value, digits, unit }: Quantity): string {
  return `${sign}${value.toFixed(digits)} ${unit}`;
}

function digitsOf(value: number): number {
  if (rounded(value, 2) < 10) return 2;
  return rounded(value, 1) < 100 ? 1 : 0;
}

function quantity(value: number, digits: number, unit: string): Quantity {
  return { sign: '', value: rounded(value, digits), digits, unit };
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
