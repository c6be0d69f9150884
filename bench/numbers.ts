/** 12,345.6 */
export function shown(value: number, digits: number): string {
  return value.toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

export function percent(share: number): string {
  return `${shown(share * 100, 1)} %`;
}
